"""Rules of the benchmark in clingo: grounding, which computes all facts of a stratified program, and the one model.

    python3 rules_clingo.py <rules.lp> <predicates of two places, by commas> <rounds>

Prints the least CPU milliseconds of the rounds and how many facts are derived, as JSON. Parsing is not counted.
"""

import json
import sys
import time

import clingo


def main():
    rules, predicates, rounds = sys.argv[1:]
    least, found = None, 0
    for _ in range(int(rounds)):
        control = clingo.Control(["--warn=none"])
        control.load(rules)
        begin = time.process_time()
        control.ground([("base", [])])
        control.solve()
        used = (time.process_time() - begin) * 1000
        atoms = control.symbolic_atoms
        found = sum(sum(1 for atom in atoms.by_signature(name, 2) if atom.is_fact) for name in predicates.split(","))
        least = used if least is None else min(least, used)
    print(json.dumps({"cpuMs": least, "found": found}))


main()
