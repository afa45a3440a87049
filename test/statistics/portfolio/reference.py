"""Writes reference-vectors.json: daily returns of four runs, and the portfolios that independent code makes of them.

Python 3 with numpy 2.4.6, scipy 1.17.1. The tests read the file alone; this is how it was made.
"""
import json
import pathlib

import numpy as np
from scipy.optimize import root

rng = np.random.default_rng(61)
DAYS, RUNS, LOOKBACK, EVERY, COST, YEAR = 90, 4, 30, 7, 0.002, 365
market = rng.normal(0, 0.01, DAYS)
x = np.round(market[:, None] * [1, 0.5, -0.4, 0] + rng.normal(0.0005, 1, (DAYS, RUNS)) * [0.01, 0.02, 0.006, 0.015], 6)


def inverse_volatility(past):
    w = 1 / past.std(0, ddof=1)
    return w / w.sum()


def risk_parity(past):
    c = np.cov(past.T)
    scale = np.sqrt(np.diag(c))
    r = c / np.outer(scale, scale)
    # Equal parts in the risk of the standardised runs, by a solver of equations.
    y = root(lambda v: np.exp(v) * (r @ np.exp(v)) - 1, np.zeros(len(c)), tol=1e-15).x
    w = np.exp(y) / scale
    return w / w.sum()


def run(weights_of, begin):
    holdings, equity = None, 1.0
    values, contributions, weights, turnovers, costs = [], [], [], [], 0.0
    for t in range(begin, DAYS):
        fee = 0.0
        if (t - begin) % EVERY == 0:
            target = weights_of(x[max(0, t - LOOKBACK) : t])
            if holdings is None:
                holdings = target * equity
            else:
                moved = np.abs(target * equity - holdings).sum() / equity
                fee = COST * moved
                turnovers.append(moved / 2)
                holdings = target * equity * (1 - fee)
            weights.append(target.tolist())
        before = equity
        w = holdings / holdings.sum()
        holdings = holdings * (1 + x[t])
        equity = holdings.sum()
        contributions.append(w * x[t])
        values.append(equity / before - 1)
        costs += fee
    c = np.array(contributions)
    gross = c.sum(1)
    shares = [np.cov(c[:, k], gross)[0, 1] / gross.var(ddof=1) for k in range(RUNS)]
    curve = np.concatenate([[1], np.cumprod(1 + np.array(values))])
    return {
        "returns": values,
        "weights": weights,
        "turnovers": turnovers,
        "costs": costs,
        "riskShares": shares,
        "totalReturn": curve[-1] - 1,
        "maxDrawdown": np.max(1 - curve / np.maximum.accumulate(curve)),
        "sharpe": np.mean(values) / np.std(values, ddof=1) * np.sqrt(YEAR),
        "annualVolatility": np.std(values, ddof=1) * np.sqrt(YEAR),
        "annualReturn": curve[-1] ** (YEAR / len(values)) - 1,
        "correlations": np.corrcoef(x[begin:].T).tolist(),
    }


vectors = {
    "runs": x.T.tolist(),
    "lookback": LOOKBACK,
    "every": EVERY,
    "costRate": COST,
    "equal": run(lambda past: np.full(RUNS, 1 / RUNS), 0),
    "inverseVolatility": run(inverse_volatility, LOOKBACK),
    "riskParity": run(risk_parity, LOOKBACK),
}
path = pathlib.Path(__file__).with_name("reference-vectors.json")
path.write_text(json.dumps(vectors, default=float) + "\n")
