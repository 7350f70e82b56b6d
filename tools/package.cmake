# The Debian package: `cpack -G DEB` in the build folder. One package holds the programs, the plugins, the pipelines and
# what an author of plugins builds against, for all of it is small, and a plugin is no less a use of tav than a run.
set(CPACK_PACKAGE_NAME tav)
set(CPACK_PACKAGE_CONTACT "the maintainers of tav")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "tav-run reads the traces that profilers of accelerators write (Chrome Trace Event JSON, gzipped or not),
verifies them, measures what is hidden, exposed and idle, compares runs, and ends with a verdict and an exit status.
Dialects and stages are plugins; the headers that others are built with are here too.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # the libraries that the programs are linked with, with their versions
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, pkg-config, slurm-client")
set(CPACK_GENERATOR DEB)
include(CPack)
