"""The grid of the case `search-peers` by another program: `optimize.py backtesting|vectorbt FOLDER` prints its time as JSON, or nothing
where the package is not installed. Reading the file and importing the package are not timed."""

import json
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

NAME, FOLDER = sys.argv[1], Path(sys.argv[2])


def bars():
    import pandas as pd

    frame = pd.read_csv(FOLDER / "rows.csv")
    frame.index = pd.to_datetime(frame.pop("open_time"), unit="ms")
    return frame.rename(columns=str.capitalize)


def by_backtesting(grid):
    from backtesting import Backtest, Strategy
    from backtesting.lib import crossover
    from backtesting.test import SMA

    class Cross(Strategy):
        fast = 20
        slow = 50

        def init(self):
            self.one = self.I(SMA, self.data.Close, self.fast)
            self.other = self.I(SMA, self.data.Close, self.slow)

        def next(self):
            if self.one[-1] > self.other[-1] and not self.position:
                self.buy(size=1)
            elif self.one[-1] <= self.other[-1] and self.position:
                self.position.close()

    # Its worker processes load the strategy by name.
    globals()["Cross"] = Cross
    Cross.__qualname__ = "Cross"
    test = Backtest(bars(), Cross, cash=100_000_000, commission=0.001, finalize_trades=False)
    started = time.perf_counter()
    _, values = test.optimize(
        fast=grid["fasts"], slow=grid["slows"], maximize="# Trades", method="grid", return_heatmap=True
    )
    return time.perf_counter() - started, values


def by_vectorbt(grid):
    import vectorbt as vbt

    close = bars()["Close"]
    pairs = [(fast, slow) for fast in grid["fasts"] for slow in grid["slows"]]
    fasts, slows = zip(*pairs)

    def run():
        fast = vbt.MA.run(close, window=list(fasts), short_name="fast")
        slow = vbt.MA.run(close, window=list(slows), short_name="slow")
        entries = fast.ma_above(slow)
        portfolio = vbt.Portfolio.from_signals(
            close, entries, ~entries.values, size=1, init_cash=100_000_000, fees=0.001, freq="1min"
        )
        # A trial of ours has all statistics; these are the usual ones of vectorbt.
        return portfolio.stats(agg_func=None), portfolio.trades.count()

    run()  # compiles
    started = time.perf_counter()
    _, counts = run()
    return time.perf_counter() - started, counts


def main():
    try:
        found = version(NAME)
    except PackageNotFoundError:
        return
    grid = json.loads((FOLDER / "grid.json").read_text())
    seconds, counts = by_backtesting(grid) if NAME == "backtesting" else by_vectorbt(grid)
    trials = len(grid["fasts"]) * len(grid["slows"])
    print(
        json.dumps(
            {
                "name": NAME,
                "version": found,
                "ms": seconds * 1000,
                "trials": trials,
                "least": int(counts.min()),
                "most": int(counts.max()),
            }
        )
    )


if __name__ == "__main__":
    main()
