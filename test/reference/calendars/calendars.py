"""Writes calendars.json: the figures of runs over data with different calendars, from independent libraries.

The prices and the trades are made by the same arithmetic here and in cases.ts. The account is simulated here bar by bar with fractions.
Versions: see `versions` in the file. The tests read the file alone; this is how it was made.
"""
import importlib.metadata
import json
import pathlib
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from zoneinfo import ZoneInfo

import empyrical as ep
import ffn
import numpy as np
import pandas as pd
import quantstats.stats as qs
from scipy import stats

START = 1_000_000
FEE = Fraction(1, 5000)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
UTC, NEW_YORK = timezone.utc, ZoneInfo("America/New_York")
HOLIDAYS = {day + year for day in (0, 14, 49, 95, 147, 168, 182, 245, 325) for year in (0, 364)}


class Chance:
    """Lehmer's generator: x = 48271 x mod 2^31 - 1."""

    def __init__(self, seed):
        self.x = seed

    def below(self, n):
        self.x = self.x * 48271 % 2147483647
        return self.x % n


def days_of(first, count):
    return [first + DAY * index for index in range(count)]


def local(day, hour):
    """An hour of the clock in New York, in UTC."""
    return datetime(day.year, day.month, day.day, hour, tzinfo=NEW_YORK).astimezone(UTC)


def opens_of(case):
    if case == "stocks":
        first = datetime(2023, 1, 2, tzinfo=UTC)
        return [day for index, day in enumerate(days_of(first, 730)) if day.weekday() < 5 and index not in HOLIDAYS]
    if case == "fx":
        first = datetime(2023, 1, 1, tzinfo=UTC)
        hours = [day + HOUR * hour for day in days_of(first, 240) for hour in range(24)]
        open_at = lambda time: (time.weekday() < 4 or (time.weekday() == 4 and time.hour < 22) or (time.weekday() == 6 and time.hour >= 22))
        return [time for time in hours if open_at(time)]
    if case == "crypto":
        return days_of(datetime(2023, 3, 5, tzinfo=UTC), 420)
    if case == "midnight":
        # The first bar closes at midnight: it begins no day.
        return [datetime(2023, 12, 31, 23, tzinfo=UTC) + HOUR * index for index in range(24 * 91 + 1)]
    if case == "day":
        return [datetime(2024, 5, 7, tzinfo=UTC) + HOUR * index for index in range(24)]
    if case == "none":
        return [datetime(2024, 5, 6, 23, tzinfo=UTC)]
    if case == "summer-time":
        return [datetime(2024, 2, 1, 5, tzinfo=UTC) + HOUR * index for index in range(24 * 300)]
    if case == "session":
        days = [day for day in days_of(datetime(2024, 1, 8), 320) if day.weekday() < 5]
        return [local(day, hour) for day in days for hour in range(9, 16)]
    raise ValueError(case)


LENGTH = {"stocks": DAY, "crypto": DAY}
ZONES = {"summer-time": NEW_YORK, "session": NEW_YORK}
ANNUAL = {"stocks": 252, "fx": 260, "crypto": 365, "midnight": 365, "day": 365, "none": 365, "summer-time": 365, "session": 260}
CASES = list(ANNUAL)


def simulate(case):
    """Equity at each close, as exact fractions, and the time with a position."""
    prices, trades = Chance(12345 + CASES.index(case)), Chance(777 + CASES.index(case))
    length = LENGTH.get(case, HOUR)
    cash, held, order, last = Fraction(START), 0, 0, 10_000
    rows, invested, since = [], timedelta(0), None
    for opened in opens_of(case):
        price = max(2000, last + prices.below(61) - 30)
        last = max(2000, price + prices.below(201) - 100)
        prices.below(21), prices.below(21)
        if order != 0:
            cash -= order * price + FEE * abs(order) * price
            held += order
            order = 0
            if held != 0:
                since = opened
            else:
                invested += opened - since
        closed = opened + length
        rows.append((closed, cash + held * last))
        choice, size = trades.below(15), 40 + trades.below(20)
        if choice < 2:
            order = -held if held != 0 else size if choice == 0 else -size
    if held != 0:
        invested += rows[-1][0] - since
    return rows, invested


def day_ends(case, rows):
    """The last equity of each day. An hour of Sunday evening belongs to Monday."""
    zone = ZONES.get(case, UTC)
    ends = {}
    first = rows[0][0]
    for closed, equity in rows:
        at = (closed - timedelta(microseconds=1)).astimezone(zone).date()
        if closed == first and closed.astimezone(zone).time().isoformat() == "00:00:00":
            continue
        if case == "fx" and at.weekday() == 6:
            at += DAY
        ends[at] = float(equity)
    return ends


def figures_of(case):
    rows, invested = simulate(case)
    annual = ANNUAL[case]
    ends = day_ends(case, rows)
    start, final = float(rows[0][1]), float(rows[-1][1])
    closes = pd.Series([float(equity) for _, equity in rows], pd.DatetimeIndex([time for time, _ in rows]))
    prices = np.array([start, *ends.values()])
    r = pd.Series(prices[1:] / prices[:-1] - 1, pd.DatetimeIndex(pd.to_datetime(list(ends))))
    n = len(r)
    span = rows[-1][0] - rows[0][0]
    out = {"startEquity": start, "finalEquity": final, "annualDays": annual, "totalReturn": float(ep.cum_returns_final(r)) if n else 0.0}
    out["maxDrawdown"] = float(-ffn.calc_max_drawdown(closes))
    out["exposure"] = invested / span if span else None
    out["bestDay"], out["worstDay"] = (r.max(), r.min()) if n else (None, None)
    out["winningDays"], out["losingDays"], out["flatDays"] = int((r > 0).sum()), int((r < 0).sum()), int((r == 0).sum())
    if n >= 30:
        skew, kurtosis = stats.skew(r), stats.kurtosis(r)
        daily = r.mean() / r.std(ddof=1)
        out |= {
            "cagr": ffn.calc_cagr(closes),
            "calmar": ffn.calc_cagr(closes) / -ffn.calc_max_drawdown(closes),
            "annualVolatility": ep.annual_volatility(r, annualization=annual),
            "sharpe": ep.sharpe_ratio(r, annualization=annual),
            "sortino": ep.sortino_ratio(r, annualization=annual),
            "omega": ep.omega_ratio(r),
            "skew": skew,
            "kurtosis": kurtosis,
            "probabilisticSharpe": stats.norm.cdf(daily * np.sqrt(n - 1) / np.sqrt(1 - skew * daily + (kurtosis + 2) / 4 * daily**2)),
            "valueAtRisk95": ep.value_at_risk(r, cutoff=0.05),
            "conditionalValueAtRisk95": ep.conditional_value_at_risk(r, cutoff=0.05),
            "tailRatio": ep.tail_ratio(r),
            # quantstats divides the squares by n - 1.
            "ulcerIndex": qs.ulcer_index(r) * np.sqrt((n - 1) / n),
            "serenity": qs.serenity_index(r),
        }
    if n >= 100:
        out["valueAtRisk99"] = ep.value_at_risk(r, cutoff=0.01)
    months = ep.aggregate_returns(r, "monthly") if n else pd.Series(dtype=float)
    years = ep.aggregate_returns(r, "yearly") if n else pd.Series(dtype=float)
    plain = {key: None if value is None else float(value) for key, value in out.items()}
    return {
        "bars": len(rows),
        "days": n,
        "firstDay": str(next(iter(ends), None)),
        "figures": plain,
        "months": {f"{year}-{month:02d}": float(value) for (year, month), value in months.items()},
        "years": {str(year): float(value) for year, value in years.items()},
        "everyTenthReturn": [float(value) for value in r.iloc[::10]],
    }


packages = ["numpy", "pandas", "scipy", "empyrical-reloaded", "ffn", "quantstats"]
out = {"versions": {name: importlib.metadata.version(name) for name in packages}, "cases": {case: figures_of(case) for case in CASES}}
pathlib.Path(__file__).with_name("calendars.json").write_text(json.dumps(out, indent=1) + "\n")
