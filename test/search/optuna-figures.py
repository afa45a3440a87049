"""Writes optuna-figures.json, with which tpe.test.ts compares: pip install optuna==5.0.0,
then python3 optuna-figures.py and npm run format.

The functions are those of standard-functions.ts. Each seed from 0 to 49 is one study of 100 trials
with the default TPESampler. Its regret is the best true value of its trials less the known minimum.
The tests read the file alone.
"""

import json
import math
import pathlib
import platform
import random
import unittest.mock

import numpy
import optuna
from optuna.samplers._tpe.parzen_estimator import _ParzenEstimator, _ParzenEstimatorParameters
from optuna.samplers._tpe.sampler import default_weights

SEEDS = 50
TRIALS = 100


def branin(trial):
    x = trial.suggest_float("x", -5, 10)
    y = trial.suggest_float("y", 0, 15)
    a = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return a**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


ALPHA = [1, 1.2, 3, 3.2]
A6 = [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
P6 = [
    [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
    [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
    [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.665],
    [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
]
A3 = [[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]]
P3 = [[0.3689, 0.117, 0.2673], [0.4699, 0.4387, 0.747], [0.1091, 0.8732, 0.5547], [0.0381, 0.5743, 0.8828]]


def hartmann(trial, a, p):
    x = [trial.suggest_float(f"x{i}", 0, 1) for i in range(len(a[0]))]
    return -sum(
        alpha * math.exp(-sum(w * (v - c) ** 2 for w, v, c in zip(weights, x, centre)))
        for alpha, weights, centre in zip(ALPHA, a, p)
    )


def rastrigin(trial):
    x = [trial.suggest_float(f"x{i}", -4, 6) for i in range(4)]
    return sum(v * v - 10 * math.cos(2 * math.pi * v) + 10 for v in x)


BEST = {"a": (0.4, 12), "b": (0, 40), "c": (0.2, 80), "d": (0.8, 20)}


def mixed(trial):
    offset, best = BEST[trial.suggest_categorical("kind", list(BEST))]
    length = trial.suggest_int("length", 2, 200, log=True)
    level = trial.suggest_int("level", 0, 50, step=5)
    rate = trial.suggest_float("rate", 1e-4, 1, log=True)
    return offset + math.log(length / best) ** 2 + abs(level - 35) / 10 + math.log10(rate / 0.01) ** 2


FUNCTIONS = {
    "branin": (branin, 0.39788735772973816, 0),
    "hartmann6": (lambda trial: hartmann(trial, A6, P6), -3.322368011415515, 0),
    "rastrigin": (rastrigin, 0, 0),
    "mixed": (mixed, 0, 0),
    "noisy": (lambda trial: hartmann(trial, A3, P3), -3.862782147820756, 0.5),
}


def regret(name, seed):
    function, minimum, deviation = FUNCTIONS[name]
    chance = random.Random(seed)
    best = math.inf

    def objective(trial):
        nonlocal best
        value = function(trial)
        best = min(best, value)
        noise = sum(chance.random() for _ in range(4)) - 2
        return value + deviation * math.sqrt(3) * noise

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=TRIALS)
    return float(f"{best - minimum:.6g}")


def ratios():
    """log l(x)/g(x) at some points of the space of "mixed". Coordinates are those of the tests: numbers of values, or a share."""
    chance = random.Random(57)
    rows = [[chance.randrange(4), chance.randrange(199), chance.randrange(11), round(chance.random(), 6)] for _ in range(60)]
    good, others, points = rows[:6], rows[6:48], rows[48:]
    space = {
        "kind": optuna.distributions.CategoricalDistribution(list(BEST)),
        "length": optuna.distributions.IntDistribution(2, 200, log=True),
        "level": optuna.distributions.IntDistribution(0, 50, step=5),
        "rate": optuna.distributions.FloatDistribution(1e-4, 1, log=True),
    }
    parameters = _ParzenEstimatorParameters(1.0, True, False, default_weights, True)

    def columns(rows):
        kind, length, level, share = (numpy.array(column, dtype=float) for column in zip(*rows))
        return {"kind": kind, "length": length + 2, "level": level * 5, "rate": 1e-4 ** (1 - share)}

    def log_density(rows):
        return _ParzenEstimator(columns(rows), space, parameters).log_pdf(columns(points))

    # Optuna leaves the order of equal numbers to numpy, which has no rule for it. Here the older trial is first, as in Tidegate.
    unstable = numpy.argsort
    with unittest.mock.patch("numpy.argsort", lambda values, kind="stable": unstable(values, kind=kind)):
        differences = log_density(good) - log_density(others)
    return {"good": good, "others": others, "points": points, "logRatios": [float(f"{value:.9g}") for value in differences]}


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    versions = {"optuna": optuna.__version__, "numpy": numpy.__version__, "python": platform.python_version()}
    regrets = {name: [regret(name, seed) for seed in range(SEEDS)] for name in FUNCTIONS}
    figures = {"versions": versions, "trials": TRIALS, "regrets": regrets, "ratios": ratios()}
    pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(figures))
