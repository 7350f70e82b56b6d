# SPDX-License-Identifier: Apache-2.0
# tav_add_plugin(NAME SOURCE...): a loadable plugin NAME.so, without any symbol but tav_plugin. The target is
# tav_plugin_NAME. Inside the project it lands in plugins/ of the build tree; elsewhere in the directory that builds it.
function(tav_add_plugin name)
	set(target tav_plugin_${name})
	add_library(${target} MODULE ${ARGN})
	set_target_properties(${target} PROPERTIES
		PREFIX "" OUTPUT_NAME ${name} SUFFIX ".so"
		C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
	target_link_libraries(${target} PRIVATE tav::plugin)
	# A plugin links against nothing of the host. A sanitizer's runtime is in the executable, so its symbols stay open.
	get_directory_property(options LINK_OPTIONS)
	if(NOT "${options} ${CMAKE_C_FLAGS} ${CMAKE_MODULE_LINKER_FLAGS}" MATCHES "-fsanitize")
		target_link_options(${target} PRIVATE -Wl,-z,defs)
	endif()
	if(TAV_IN_TREE)
		set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
		set_property(GLOBAL APPEND PROPERTY TAV_PLUGINS ${name})
	endif()
	install(TARGETS ${target} LIBRARY DESTINATION ${TAV_PLUGIN_DIR})
endfunction()
