#!/usr/bin/python3
"""Runs the cases of one TOML file against the glgnn program.

Each [[case]] gets a fresh folder with its `fixtures` (copied) and `files` (written), then its steps
in order; a case with one step may write the step's keys directly. The keys of a step:

  run = "fit x.csv --k 3"       arguments of the program
  bench = "--quick"             instead: arguments of glgnn-bench, which is beside it
  status = 0                    expected exit status
  stdin = "x.csv"               a file that is the standard input
  env = {NAME = "value"}        added to the environment
  stdout, stderr = ["..."]      texts that must occur
  stdout_not, stderr_not        texts that must not
  stdout_match, stderr_match    regular expressions that must be found
  json_keys = ["..."]           the whole stdout is one JSON object (or an array of them) with these
  tty = 80                      on a terminal of this many columns (stdout and stderr are one then)
  file_limit = 4096             no file may grow beyond this many bytes
  memory_before = 300           megabytes that who starts the program has held, which are not the program's
  memory_limit = 200            megabytes of address space, as `ulimit -v` sets it (not with sanitizers)
  pipe = {"p" = "x.csv"}        a pipe p through which x.csv comes
  interrupt_at = {file = "x.jsonl", lines = 5}    SIGINT once the file has so many lines
  background = {file = "x.jsonl", lines = 5}      go on at that point; ended after the case
  exists, absent = ["name"]     afterwards (patterns allowed)
  unchanged = ["name"]          same bytes as before the step
  same = [["a", "b"]]           same bytes
  same_end = [["a", "b"]]       the last lines of both logs say the same, but for time, memory and threads
  epochs_of = {"x.jsonl" = 60}  the log holds epochs 1..60, each once, in order

and, before `run`:

  damage = {file = "m", byte = 100}   one bit of this byte is flipped (negative: from the end)
  cut = {file = "m", bytes = 100}     only the first bytes stay
  copy = {"from" = "to"}
  append = {"file" = "text"}
  link = {"name" = "target"}          symbolic links
"""

import argparse
import fcntl
import glob
import json
import os
import pty
import re
import resource
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
PATIENCE = 300  # seconds; only a hanging program reaches it
FOUND_BY_VALGRIND = 99  # exit status


class Failure(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Failure(text)


def lines_of(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_for_lines(process, folder, wanted):
    deadline = time.monotonic() + PATIENCE
    while lines_of(folder / wanted["file"]) < wanted["lines"]:
        check(process.poll() is None, f"the program ended before {wanted} was reached")
        check(time.monotonic() < deadline, f"{wanted} was never reached")
        time.sleep(0.002)


class Case:
    def __init__(self, program, case, valgrind):
        self.program, self.case, self.valgrind = program, case, valgrind
        self.background = []

    def execute(self):
        with tempfile.TemporaryDirectory(prefix="glgnn-cli-") as name:
            self.folder = Path(name)
            for fixture in self.case.get("fixtures", []):
                shutil.copy(HERE / "fixtures" / fixture, self.folder)
            for path, text in self.case.get("files", {}).items():
                target = self.folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
            try:
                for step in self.case.get("step", [self.case]):
                    self.step(step)
            finally:
                for process in self.background:
                    process.send_signal(signal.SIGINT)
                    process.communicate()

    def step(self, step):
        sanitized = b"__asan_init" in Path(self.program).read_bytes()
        if "memory_limit" in step and (sanitized or self.valgrind):
            return  # these take more of it than the program
        self.prepare(step)
        before = {name: (self.folder / name).read_bytes() for name in step.get("unchanged", [])}
        if "run" in step or "bench" in step:
            self.run(step)
        for name, content in before.items():
            check((self.folder / name).read_bytes() == content, f"{name} was changed")
        for name in step.get("exists", []):
            check(glob.glob(name, root_dir=self.folder), f"{name} is missing")
        for name in step.get("absent", []):
            found = glob.glob(name, root_dir=self.folder)
            check(not found, f"should not be there: {found}")
        for a, b in step.get("same", []):
            contents = [(self.folder / name).read_bytes() for name in (a, b)]
            check(contents[0] == contents[1], f"{a} and {b} differ")
        for a, b in step.get("same_end", []):
            logs = [list(map(json.loads, (self.folder / name).read_text().splitlines())) for name in (a, b)]
            ends = [log[-1] for log in logs]
            for log, end in zip(logs, ends):
                check(end.pop("event") == "end", f"{a} or {b} has no end")
                most = max(line["peak_memory_mb"] for line in log[:-1] if line["event"] == "run")
                check(end.pop("peak_memory_mb") == most, f"the most memory of {a} or {b} is {most} MB")
                for key in ("time", "seconds_mean", "threads"):
                    end.pop(key)
            check(ends[0] == ends[1], f"{a} and {b} end differently: {ends}")
        for name, count in step.get("epochs_of", {}).items():
            lines = map(json.loads, (self.folder / name).read_text().splitlines())
            epochs = [line["epoch"] for line in lines if line["event"] == "epoch"]
            check(epochs == list(range(1, count + 1)), f"{name} holds epochs {epochs}")

    def prepare(self, step):
        for source, target in step.get("copy", {}).items():
            shutil.copy(self.folder / source, self.folder / target)
        for name, target in step.get("link", {}).items():
            (self.folder / name).symlink_to(target)
        for name, text in step.get("append", {}).items():
            with open(self.folder / name, "a") as file:
                file.write(text)
        if "damage" in step:
            path = self.folder / step["damage"]["file"]
            content = bytearray(path.read_bytes())
            content[step["damage"]["byte"]] ^= 1
            path.write_bytes(content)
        if "cut" in step:
            path = self.folder / step["cut"]["file"]
            path.write_bytes(path.read_bytes()[: step["cut"]["bytes"]])

    def run(self, step):
        command = [self.program, *shlex.split(step["run"])] if "run" in step else [
            self.program + "-bench", *shlex.split(step["bench"])]
        if self.valgrind:
            command = ["valgrind", "-q", f"--error-exitcode={FOUND_BY_VALGRIND}", *command]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GLGNN_")}
        environment |= {"TERM": "xterm"} | step.get("env", {})
        environment.pop("NO_COLOR", None) if "NO_COLOR" not in step.get("env", {}) else None

        def limits():
            b"x" * (step.get("memory_before", 0) << 20)  # of who starts the program, not of the program
            if "file_limit" in step:
                resource.setrlimit(resource.RLIMIT_FSIZE, (step["file_limit"],) * 2)
            if "memory_limit" in step:
                resource.setrlimit(resource.RLIMIT_AS, (step["memory_limit"] << 20,) * 2)

        start = {"cwd": self.folder, "env": environment, "preexec_fn": limits}
        if "tty" in step:
            status, out, err = *self.run_on_terminal(command, step["tty"], start), ""
        else:
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            given = open(self.folder / step["stdin"]) if "stdin" in step else None
            for name, source in step.get("pipe", {}).items():
                os.mkfifo(self.folder / name)
                self.background.append(subprocess.Popen(["/bin/sh", "-c", f"cat {source} > {name}"], cwd=self.folder))
            process = subprocess.Popen(command, **start, **pipes, stdin=given, text=True)
            if "background" in step:
                self.background.append(process)
                return wait_for_lines(process, self.folder, step["background"])
            try:
                if "interrupt_at" in step:
                    wait_for_lines(process, self.folder, step["interrupt_at"])
                    process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=PATIENCE)
            finally:
                process.kill()
            status = process.returncode
        self.compare(step, status, out, err)

    def run_on_terminal(self, command, columns, start):
        ours, theirs = pty.openpty()
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(command, **start, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        out = b""
        try:
            while select.select([ours], [], [], PATIENCE)[0] and (part := os.read(ours, 65536)):
                out += part
        except OSError:  # the terminal is gone: the program has ended
            pass
        finally:
            process.kill() if process.poll() is None and not out else None
            os.close(ours)
        return process.wait(PATIENCE), out.decode()

    def compare(self, step, status, out, err):
        said = f"\n--- stdout\n{out[-3000:]}\n--- stderr\n{err[-3000:]}"
        expected = step.get("status", 0)
        check(status == expected, f"exit status {status}, expected {expected}{said}")
        for name, text in (("stdout", out), ("stderr", err)):
            for wanted in step.get(name, []):
                check(wanted in text, f'"{wanted}" is not in {name}{said}')
            for unwanted in step.get(name + "_not", []):
                check(unwanted not in text, f'"{unwanted}" is in {name}{said}')
            for pattern in step.get(name + "_match", []):
                check(re.search(pattern, text), f"/{pattern}/ is not in {name}{said}")
        if expected not in (0, 130) and "tty" not in step:
            check(re.search(r"(^|\n)glgnn: [^\n]+\n$", err), f"no `glgnn: TEXT` at the end{said}")
        if "json_keys" in step:
            value = json.loads(out)
            for item in value if isinstance(value, list) else [value]:
                missing = [key for key in step["json_keys"] if key not in item]
                check(not missing, f"JSON without {missing}{said}")


def main():
    # Who starts us in the background of a shell has switched Ctrl-C off, also for what we start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, help="the glgnn to test")
    parser.add_argument("--only", default="", help="part of a case's name")
    parser.add_argument("--valgrind", action="store_true", help="under memcheck, which is 50 times slower")
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    global PATIENCE
    PATIENCE *= 10 if options.valgrind else 1
    passed = failed = 0
    for path in options.files:
        for case in tomllib.loads(path.read_text())["case"]:
            if options.only not in case["name"]:
                continue
            try:
                Case(program, case, options.valgrind).execute()
                passed += 1
            except (Failure, OSError, ValueError, subprocess.TimeoutExpired) as failure:
                failed += 1
                print(f"FAILED {path.stem}: {case['name']}: {failure}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
