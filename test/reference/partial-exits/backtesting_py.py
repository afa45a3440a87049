"""The trades of a strategy with partial exits in backtesting.py, for partial-exits.test.ts: `python backtesting_py.py > backtesting-py.json`."""
import json
import pandas as pd
import backtesting
from backtesting import Backtest, Strategy

# Open of each bar; orders of a bar fill at the open of the next.
OPENS = [100, 102, 101, 105, 103, 99, 104, 108, 107, 110, 106, 111]
# Bar of decision -> signed size.
ORDERS = {0: 10, 1: 6, 2: -4, 4: 8, 5: -9, 7: -5, 8: 4, 9: -10}

index = pd.date_range('2025-01-01', periods=len(OPENS), freq='D')
data = pd.DataFrame({'Open': OPENS, 'High': [o + 2 for o in OPENS], 'Low': [o - 2 for o in OPENS], 'Close': [o + 1 for o in OPENS], 'Volume': 1000}, index=index)

class Partial(Strategy):
    def init(self):
        pass

    def next(self):
        size = ORDERS.get(len(self.data) - 1)
        if size is not None:
            (self.buy if size > 0 else self.sell)(size=abs(size))

def run():
    shifted = dict(ORDERS)
    ORDERS.clear()
    # backtesting.py calls `next` from the second bar on.
    ORDERS.update({bar + 1: size for bar, size in shifted.items()})
    first = data.iloc[[0]].copy()
    first.index = [index[0] - pd.Timedelta(days=1)]
    frame = pd.concat([first, data])
    stats = Backtest(frame, Partial, cash=100000, commission=0.001, finalize_trades=False).run()
    rows = []
    for _, t in stats['_trades'].iterrows():
        rows.append({'size': int(t['Size']), 'entryBar': int(t['EntryBar']) - 1, 'exitBar': int(t['ExitBar']) - 1, 'entryPrice': float(t['EntryPrice']), 'exitPrice': float(t['ExitPrice']), 'commission': float(t['Commission']), 'pnl': float(t['PnL'])})
    rows.sort(key=lambda r: (r['exitBar'], r['entryBar']))
    return rows

rows = run()
print(json.dumps({'versions': {'backtesting.py': backtesting.__version__, 'pandas': pd.__version__}, 'trades': rows}, indent=1))
