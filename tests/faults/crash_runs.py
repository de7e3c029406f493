#!/usr/bin/env python3
"""The program killed, interrupted and on a full disk.

    crash_runs.py kills GLGNN [--count N] [--seed S]      kill -9 at random moments of fit, save, resume
    crash_runs.py signals GLGNN [--count N] [--seed S]    SIGTERM and Ctrl-C at random moments
    crash_runs.py disk GLGNN                              a file system that is full

kills: after each kill the model file is the old one or the new one, byte by byte; a run that is
resumed to its end gives the bytes of one that was never killed; nothing is left beside its files.
signals: the program ends by itself, and at once by a second signal; the largest time is printed.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77  # ctest takes this exit status for "skipped"

FITS = {
    "best": ["fit", "wine"],
    "paper": ["fit", "wine", "--mode", "paper", "--epochs", "40"],
}


def check(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")


def command_in(program, folder, words):
    return [program, *words, "--out", str(folder / "m.glgnn"), "--threads", "1", "--no-report", "--quiet"]


def run_whole(program, folder, words):
    done = subprocess.run(command_in(program, folder, words), capture_output=True, text=True)
    check(done.returncode == 0, f"{words}: {done.stderr}")
    return (folder / "m.glgnn").read_bytes()


class KilledFit:
    """A fit over an old model file, killed again and again, then resumed to its end."""

    def __init__(self, program, words, chance):
        self.program, self.words, self.chance = program, words, chance
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="glgnn-kills-"))
        start = time.monotonic()
        self.whole = run_whole(program, self.root, words)
        self.seconds = time.monotonic() - start
        self.old = run_whole(program, self.root, [*words, "--seed", "2"])
        self.killed = {"fit": 0, "resume": 0, "save": 0}

    def kill_one(self, folder):
        """Starts or resumes, and kills at a random moment; False: it had ended before."""
        resumes = (folder / "m.glgnn.checkpoint").exists()
        at_save = self.chance.random() < 0.3
        process = subprocess.Popen(
            command_in(self.program, folder, self.words + (["--resume"] if resumes else [])),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + self.chance.uniform(0, 1.05 * self.seconds)
        while time.monotonic() < end and process.poll() is None:
            if at_save and any(".new." in name for name in os.listdir(folder)):
                time.sleep(self.chance.uniform(0, 0.003))
                break
            time.sleep(0.0005 if at_save else 0.002)
        ended = process.poll() is not None
        process.kill()
        process.wait()
        if not ended:
            writes = any(".new." in name for name in os.listdir(folder))
            self.killed["save" if writes else "resume" if resumes else "fit"] += 1
        found = (folder / "m.glgnn").read_bytes()
        check(found in (self.old, self.whole), f"{folder}: the model file is neither old nor new")
        return not ended

    def stop_early(self, folder):
        """Ctrl-C leaves a checkpoint, which a short run would not write by itself."""
        process = subprocess.Popen(command_in(self.program, folder, self.words),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        log = folder / "m.jsonl"
        while process.poll() is None and (not log.exists() or log.read_bytes().count(b"\n") < 4):
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        process.wait()

    def chain(self, kills):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="glgnn-killed-", dir=self.root))
        (folder / "m.glgnn").write_bytes(self.old)
        done = 0
        if self.chance.random() < 0.5:
            self.stop_early(folder)
        for _ in range(kills):
            done += self.kill_one(folder)
            if (folder / "m.glgnn").read_bytes() == self.whole and not (
                    folder / "m.glgnn.checkpoint").exists():
                break
        resumes = (folder / "m.glgnn.checkpoint").exists()
        found = run_whole(self.program, folder, self.words + (["--resume"] if resumes else []))
        check(found == self.whole, f"{folder}: the resumed run gave other bytes")
        names = sorted(os.listdir(folder))
        check(names == ["m.glgnn", "m.jsonl"], f"{folder}: left behind: {names}")
        shutil.rmtree(folder)
        return done


def kills(program, count, seed):
    chance = random.Random(seed)
    fits = [KilledFit(program, words, chance) for words in FITS.values()]
    done = 0
    while done < count:
        done += chance.choice(fits).chain(min(chance.randint(1, 4), count - done))
    for name, fit in zip(FITS, fits):
        moments = ", ".join(f"{number} during {what}" for what, number in fit.killed.items())
        print(f"{name}: {moments}; a whole run takes {fit.seconds:.2f} s")
        shutil.rmtree(fit.root)
    print(f"{done} kills: every model file whole, every resumed run bit-equal, nothing left behind")


def write_table(path, rows, columns):
    chance = random.Random(0)
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(f"c{j}" for j in range(columns)) + ",kind\n")
        for i in range(rows):
            centre = i % 3
            numbers = (f"{chance.gauss(centre if j % 3 == 0 else 0, 1):.4f}" for j in range(columns))
            file.write(",".join(numbers) + f",k{centre}\n")


def signals(program, count, seed):
    """Every step of the large fits takes seconds, so that only the clock can end them in time."""
    chance = random.Random(seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="glgnn-signals-"))
    write_table(folder / "large.csv", 6000, 40)
    table = [str(folder / "large.csv"), "--label", "kind", "--out", str(folder / "m.glgnn"), "--restart"]
    commands = [
        ["fit", *table],
        ["fit", *table, "--mode", "paper", "--k", "40"],
        ["evaluate", "wine", "--runs", "500"],
        ["inspect", str(folder / "large.csv")],
    ]
    worst = {"first": 0.0, "second": 0.0}
    sent = 0
    while sent < count:
        process = subprocess.Popen([program, *chance.choice(commands)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, 5))
        if process.poll() is not None:
            continue
        number = chance.choice([signal.SIGTERM, signal.SIGINT])
        twice = sent % 4 == 3
        process.send_signal(number)
        if twice:
            time.sleep(0.1)
            process.send_signal(chance.choice([signal.SIGTERM, signal.SIGINT]))
        start = time.monotonic()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            sys.exit(f"FAILED: {process.args} goes on after {number.name}")
        key = "second" if twice else "first"
        worst[key] = max(worst[key], time.monotonic() - start)
        sent += 1
    shutil.rmtree(folder)
    print(f"{sent} signals: ended after {worst['first']:.2f} s at the most, "
          f"by a second one after {worst['second']:.2f} s")


def fill(path, leave):
    """Takes all the room there is, and gives some of it back."""
    with open(path, "wb", buffering=0) as file:
        try:
            while file.write(b"f" * 4096) == 4096:
                pass
        except OSError:
            pass
        file.truncate(max(0, file.tell() - leave))


def disk(program):
    """On a file system of 300 kB with an old model on it, which leaves no room for a new one."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="glgnn-disk-"))
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", str(folder)],
                             capture_output=True, text=True)
    if mounted.returncode != 0:
        print(f"skipped: a file system cannot be mounted here: {mounted.stderr.strip()}")
        folder.rmdir()
        sys.exit(SKIPPED)
    try:
        old = b"o" * 200_000
        for words in (*FITS.values(), ["predict", "{model}"], ["report", "{model}"], ["graph", "{model}", "--format", "csv"]):
            (folder / "m.glgnn").write_bytes(old)
            with tempfile.TemporaryDirectory() as elsewhere:
                model = pathlib.Path(elsewhere) / "m.glgnn"
                if "{model}" in words:
                    run_whole(program, pathlib.Path(elsewhere), ["fit", "wine"])
                    words = [str(model) if word == "{model}" else word for word in words]
                    command = [program, *words, "--out", str(folder / "m.glgnn")]
                else:
                    command = command_in(program, folder, words)
                fill(folder / "filler", leave=60_000 if words[0] == "fit" else 0)
                done = subprocess.run(command, capture_output=True, text=True)
                (folder / "filler").unlink()
            check(done.returncode == 4, f"{words}: exit {done.returncode}, expected 4: {done.stderr}")
            check("No space left on device" in done.stderr, f"{words}: {done.stderr}")
            check((folder / "m.glgnn").read_bytes() == old, f"{words}: the old file has changed")
            left = [name for name in os.listdir(folder) if ".new." in name or name.endswith(".lock")]
            check(not left, f"{words}: left behind: {left}")
            for name in os.listdir(folder):
                (folder / name).unlink()
        print("full disk: every command says so, every old file is whole, nothing is left behind")
    finally:
        subprocess.run(["umount", str(folder)], check=True)
        folder.rmdir()


def main():
    # Who starts us in the background of a shell has switched Ctrl-C off, also for what we start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["kills", "signals", "disk"])
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    program = str(pathlib.Path(given.program).resolve())
    if given.what == "kills":
        kills(program, given.count, given.seed)
    elif given.what == "signals":
        signals(program, given.count, given.seed)
    else:
        disk(program)


if __name__ == "__main__":
    main()
