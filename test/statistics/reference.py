"""Writes reference-vectors.json: daily returns of a run and its benchmark, profits of trades, and what other libraries make of them.

python 3 with numpy 2.4.6, pandas 3.1.1, scipy 1.17.1, empyrical-reloaded 0.7.1, quantstats 0.0.86.
The tests read the file alone; this is how it was made.
"""
import json
import pathlib

import empyrical as ep
import numpy as np
import pandas as pd
import quantstats.stats as qs
from scipy import stats

A = 365
rng = np.random.default_rng(20251)
market = np.round(rng.standard_t(4, 240) * 0.015, 6)
run = np.round(0.4 * market + rng.standard_t(5, 240) * 0.008 + 0.0012, 6)
run[[17, 90]] = 0.0
profits = np.round(rng.normal(3, 40, 60), 2)
profits[[7, 31]] = 0.0

index = pd.date_range("2024-01-01", periods=len(run))
r, b = pd.Series(run, index), pd.Series(market, index)
n = len(r)
active = r - b
daily = r.mean() / r.std(ddof=1)
skew, kurtosis = stats.skew(r), stats.kurtosis(r, fisher=False)
losses = np.minimum(profits, 0)
penalty = qs.autocorr_penalty(r)
falls = qs.drawdown_details(qs.to_drawdown_series(r))

figures = {
    "cagr": ep.annual_return(r, annualization=A),
    "annualVolatility": ep.annual_volatility(r, annualization=A),
    "sharpe": ep.sharpe_ratio(r, annualization=A),
    "sortino": ep.sortino_ratio(r, annualization=A),
    "annualVariance": np.var(run, ddof=1) * A,
    "smartSharpe": ep.sharpe_ratio(r, annualization=A) / penalty,
    "smartSortino": ep.sortino_ratio(r, annualization=A) / penalty,
    "probabilisticSharpe": stats.norm.cdf(daily * np.sqrt(n - 1) / np.sqrt(1 - skew * daily + (kurtosis - 1) / 4 * daily**2)),
    "omega": ep.omega_ratio(r),
    "skew": skew,
    "kurtosis": stats.kurtosis(r),
    "valueAtRisk95": ep.value_at_risk(r, cutoff=0.05),
    "valueAtRisk99": ep.value_at_risk(r, cutoff=0.01),
    "conditionalValueAtRisk95": ep.conditional_value_at_risk(r, cutoff=0.05),
    "tailRatio": ep.tail_ratio(r),
    "bestDay": r.max(),
    "worstDay": r.min(),
    "winningDays": int((r > 0).sum()),
    "losingDays": int((r < 0).sum()),
    "flatDays": int((r == 0).sum()),
    # quantstats divides the squares by n - 1.
    "ulcerIndex": qs.ulcer_index(r) * np.sqrt((n - 1) / n),
    "serenity": qs.serenity_index(r),
    "benchmarkReturn": ep.cum_returns_final(b),
    "benchmarkCagr": ep.annual_return(b, annualization=A),
    "benchmarkVolatility": ep.annual_volatility(b, annualization=A),
    "benchmarkSharpe": ep.sharpe_ratio(b, annualization=A),
    "benchmarkMaxDrawdown": -ep.max_drawdown(b),
    "drawdowns": len(falls),
    "averageDrawdown": -falls["max drawdown"].mean() / 100,
    "excessReturn": ep.cum_returns_final(r) - ep.cum_returns_final(b),
    "beta": ep.beta(r, b),
    "alpha": ep.alpha(r, b, annualization=A),
    "benchmarkCorrelation": stats.pearsonr(r, b).statistic,
    "trackingError": active.std(ddof=1) * np.sqrt(A),
    "informationRatio": ep.excess_sharpe(r, b) * np.sqrt(A),
    "treynor": r.mean() * A / stats.linregress(b, r).slope,
}
trade_figures = {
    "sqn": np.sqrt(len(profits)) * profits.mean() / np.std(profits, ddof=1),
    "profitDeviation": np.std(profits, ddof=1),
    "profitDownsideDeviation": np.sqrt(np.mean(losses**2)),
    "tradeSharpe": profits.mean() / np.std(profits, ddof=1),
    "tradeSortino": profits.mean() / np.sqrt(np.mean(losses**2)),
    "payoffRatio": qs.payoff_ratio(pd.Series(profits), prepare_returns=False),
    "profitFactor": qs.profit_factor(pd.Series(profits), prepare_returns=False),
    "kelly": qs.kelly_criterion(pd.Series(profits), prepare_returns=False),
    "maxConsecutiveWins": int(qs.consecutive_wins(pd.Series(profits), prepare_returns=False)),
    "maxConsecutiveLosses": int(qs.consecutive_losses(pd.Series(profits), prepare_returns=False)),
}
window = r.rolling(30)
rolling = {
    "sharpe": (window.mean() / window.std(ddof=1) * np.sqrt(A)).dropna().tolist(),
    "volatility": (window.std(ddof=1) * np.sqrt(A)).dropna().tolist(),
    "beta": (window.cov(b) / b.rolling(30).var()).dropna().tolist(),
}
deepest = falls.sort_values("max drawdown").head(5)
worst = [{"depth": -row["max drawdown"] / 100, "start": str(row["start"])[:10], "trough": str(row["valley"])[:10],
          "end": str(row["end"])[:10]} for _, row in deepest.iterrows()]
plain = lambda values: {key: float(value) for key, value in values.items()}
out = {"returns": run.tolist(), "benchmark": market.tolist(), "figures": plain(figures), "rolling30": rolling, "worst": worst,
       "profits": profits.tolist(), "tradeFigures": plain(trade_figures)}
pathlib.Path(__file__).with_name("reference-vectors.json").write_text(json.dumps(out) + "\n")
