# SPDX-License-Identifier: Apache-2.0
"""Runs tav-run and gives what its JSON report says, for the tests of insight."""
import json
import os
import shutil
import subprocess
import tempfile


def run(tav_run, traces, stages, settings=(), keep=None):
    """The report of these stages over these traces; `settings`: --set arguments, `keep`: where it is kept as well."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [tav_run, "-q", "--report", "json=" + report]
        for stage in stages:
            command += ["-s", stage]
        for setting in settings:
            command += ["--set", setting]
        done = subprocess.run(command + list(traces), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = done.stdout.decode(errors="replace")
        if not os.path.exists(report):
            raise AssertionError(f"no report, status {done.returncode}: {said[:2000]}")
        if keep:
            shutil.copy(report, keep)
        with open(report) as file:
            return whole_texts(json.load(file))


def stage_of(report, name):
    return next(stage for stage in report["stages"] if stage["name"] == name)


def whole_texts(report):
    """A text that is too long for its place stands there by its begin and the number of the whole one."""
    def walk(value, texts):
        if isinstance(value, dict):
            if set(value) == {"begins", "text"}:
                return texts[value["text"]]
            return {key: walk(item, texts) for key, item in value.items()}
        return [walk(item, texts) for item in value] if isinstance(value, list) else value

    for stage in report["stages"]:
        for said in stage["by_source"]:
            said["tables"] = walk(said["tables"], report["sources"][said["source"]]["texts"])
    return report


def tables_of(said):
    """Tables by id, each a list of rows, each a dict without what is absent."""
    tables = {}
    for table in said["tables"]:
        names = [column["name"] for column in table["columns"]]
        rows = [row if isinstance(row, dict) else dict(zip(names, row)) for row in table["rows"]]
        tables[table["id"]] = [{key: value for key, value in row.items() if value is not None} for row in rows]
    return tables


def checks_of(said):
    return {check["id"]: check for check in said["checks"]}
