"""Writes reference-vectors.json: returns of trials, index draws, and what independent code makes of them.

Python 3 with numpy 2.4.6, scipy 1.17.1, arch 8.0.0 (block length, reality check, SPA), statsmodels 0.15.0 (long-run variance, corrections).
The tests read the file alone; this is how it was made. PSR, DSR, minimum lengths and CSCV follow the formulas of the papers.
"""
import itertools
import json
import pathlib

import numpy as np
import statsmodels.api as sm
from arch.bootstrap import SPA, StationaryBootstrap, optimal_block_length
from scipy import stats
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(60)
DAYS, TRIALS, REPS, BLOCK, YEAR = 132, 12, 40, 4.0, 365

# Three families of trials that move together, and one that follows its own past.
family = rng.standard_t(5, (DAYS, 3)) * 0.01
own = rng.standard_t(6, (DAYS, TRIALS)) * 0.008
x = 0.9 * family[:, np.arange(TRIALS) % 3] + own * np.where(np.arange(TRIALS) % 4 == 0, 1.5, 0.4)
for day in range(1, DAYS):
    x[day, 5] += 0.35 * x[day - 1, 5]
x += np.linspace(-0.004, 0.0018, TRIALS)
x = np.round(x, 6)

sr = lambda r: r.mean(0) / r.std(0, ddof=1)
moments = lambda r: (stats.skew(r), stats.kurtosis(r, fisher=False))


def psr_spread(r):
    g3, g4 = moments(r)
    return np.sqrt(1 - g3 * sr(r) + (g4 - 1) / 4 * sr(r) ** 2)


def psr(r, benchmark):
    return stats.norm.cdf((sr(r) - benchmark) * np.sqrt(len(r) - 1) / psr_spread(r))


def min_trl(r, benchmark, confidence):
    return 1 + (psr_spread(r) * stats.norm.ppf(confidence) / (sr(r) - benchmark)) ** 2


def expected_max(n):
    g = np.euler_gamma
    return (1 - g) * stats.norm.ppf(1 - 1 / n) + g * stats.norm.ppf(1 - 1 / (n * np.e))


def lo(r, lags, q):
    mu, s = r.mean(), r.std()
    moves = (r - mu) / s - mu / s / 2 * ((r - mu) ** 2 / s**2 - 1)
    fit = sm.OLS(moves, np.ones(len(r))).fit(cov_type="HAC", cov_kwds={"maxlags": lags, "use_correction": False})
    rho = sm.tsa.acf(r, nlags=lags, fft=False)
    eta = q / np.sqrt(q + 2 * sum((q - k) * rho[k] for k in range(1, lags + 1)))
    return {"independent": np.sqrt((1 + (mu / s) ** 2 / 2) / len(r)), "autocorrelated": fit.bse[0], "factor": eta}


def cscv(m, s):
    m = m[len(m) % s :]
    blocks = np.split(m, s)
    below, loss, pairs = 0, 0, []
    ways = list(itertools.combinations(range(s), s // 2))
    for way in ways:
        a = np.concatenate([blocks[i] for i in way])
        b = np.concatenate([blocks[i] for i in range(s) if i not in way])
        best = np.argmax(sr(a))
        omega = stats.rankdata(sr(b))[best] / (m.shape[1] + 1)
        below += np.log(omega / (1 - omega)) <= 0
        loss += sr(b)[best] < 0
        pairs.append((sr(a)[best], sr(b)[best]))
    slope = np.polyfit(*np.array(pairs).T, 1)[0]
    return {"blocks": s, "ways": len(ways), "probability": below / len(ways), "lossProbability": loss / len(ways), "degradation": slope}


# The draws of arch itself: the same generator again.
bootstrap = StationaryBootstrap(BLOCK, x, seed=7)
draws = []
for _ in bootstrap.bootstrap(REPS):
    draws.append(bootstrap.index.tolist())

zero = np.zeros(DAYS)


def superiority(models):
    """arch does not divide by the standard errors, so the studentised test is written out after Hansen (2005)."""
    spa = SPA(zero, -models, block_size=BLOCK, reps=REPS, seed=7)
    spa.compute()
    w = np.sqrt(spa._loss_diff_var)
    d, n = models.mean(0), len(models)
    centres = {"lower": np.maximum(d, 0), "consistent": np.where(d * np.sqrt(n) >= -w * np.sqrt(2 * np.log(np.log(n))), d, 0), "upper": d}
    t = max(0, np.max(np.sqrt(n) * d / w))
    out = {}
    for key, centre in centres.items():
        t_star = [max(0, np.max(np.sqrt(n) * (models[i].mean(0) - centre) / w)) for i in draws]
        out[key] = float(np.mean(np.array(t_star) >= t))
    return {"plain": {key: float(value) for key, value in spa.pvalues.items()}, "studentized": out}


def fall(equity):
    equity = np.concatenate([[1], equity])
    return np.max(1 - equity / np.maximum.accumulate(equity))


def paths(rows, grow):
    curves = [grow(rows[i]) for i in draws]
    shares = [5, 25, 50, 75, 95]
    spread = lambda values: {str(s): float(np.percentile(values, s)) for s in shares}
    ruined = np.mean([min(c.min(), 1) <= 0.93 for c in curves])
    return {"finalEquity": spread([c[-1] for c in curves]), "drawdown": spread([fall(c) for c in curves]), "ruin": float(ruined)}


ratios = sr(x)
best = int(np.argmax(ratios))
lags = int(4 * (DAYS / 100) ** (2 / 9))
t = ratios * np.sqrt(DAYS)
p = np.where(t > 0, 2 * stats.t.sf(t, DAYS - 1), 1.0)
correct = lambda method: multipletests(p, method=method)[1][best]
cut = lambda q: {"probability": q, "sharpe": stats.t.isf(q / 2, DAYS - 1) / np.sqrt(DAYS)}
distance = 1 - np.corrcoef(x.T)
np.fill_diagonal(distance, 0)
groups = fcluster(linkage(squareform(distance, checks=False), method="average"), t=0.2, criterion="distance")
lucky = ratios.std(ddof=1) * expected_max(len(set(groups)))

vectors = {
    "trials": x.T.tolist(),
    "draws": draws,
    "block": BLOCK,
    "year": YEAR,
    "psr": [{"benchmark": b, "probability": psr(x[:, k], b), "spread": psr_spread(x[:, k])} for k in range(TRIALS) for b in (0.0, 0.05)],
    "minTrackRecord": min_trl(x[:, best], 0.02, 0.95),
    "lo": [lo(x[:, k], lags, YEAR) for k in range(TRIALS)],
    "lags": lags,
    "expectedMaximum": {str(n): expected_max(n) for n in (2, 10, 45, 100, 1000)},
    "groups": len(set(groups)),
    "deflated": {"benchmark": lucky, "probability": psr(x[:, best], lucky)},
    "haircuts": {"bonferroni": cut(correct("bonferroni")), "bhy": cut(correct("fdr_by"))},
    "student": [[d, f, 2 * stats.t.sf(d, f)] for d in (0.1, 1, 2.5, 7, 15) for f in (5, 27, 364, 2500)],
    "blockLength": optimal_block_length(x)["stationary"].tolist(),
    "cscv": [cscv(x, 8), cscv(x, 12), cscv(x[:, :3], 10)],
    "superiority": {"all": superiority(x), "losing": superiority(x[:, :7])},
    "returnPaths": paths(x[:, best], lambda r: np.cumprod(1 + r)),
    "tradePaths": paths(x[:, best], lambda r: 1 + np.cumsum(r)),
}
plain = lambda value: value.item() if isinstance(value, np.generic) else str(value)
path = pathlib.Path(__file__).with_name("reference-vectors.json")
path.write_text(json.dumps(vectors, default=plain) + "\n")
