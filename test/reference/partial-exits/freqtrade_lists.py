"""The trades of a strategy with partial exits in freqtrade, for partial-exits.test.ts: `python freqtrade_lists.py > freqtrade.json`.

No network: the exchange is given its one market by hand."""
import json
import logging
import tempfile
from pathlib import Path

import freqtrade
import pandas as pd
from freqtrade.enums import CandleType, RunMode
from freqtrade.exchange import Exchange
from freqtrade.optimize.backtesting import Backtesting

logging.disable(logging.CRITICAL)
PAIR = 'BTC/USDT'
# Open of each bar; orders decided at the close of a bar fill at the open of the next.
OPENS = [100, 102, 101, 105, 103, 99, 104, 108, 107, 110, 106, 111]
# Bar of the fill -> signed size: two round trips, each with an entry that grows and an exit in parts.
FILLS = {1: 10, 2: -4, 3: 6, 5: -12, 6: 8, 7: 4, 8: -5, 10: -7}
# Bars at which the position opens and is closed: entry and exit signals. The others are adjustments.
OPENING = (1, 6)
CLOSING = (5, 10)
START = pd.Timestamp('2025-01-01', tz='UTC')

STRATEGY = '''
from freqtrade.strategy import IStrategy
FILLS = %r
OPENING = %r
CLOSING = %r
OPENS = %r
START = %r
class Partial(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = '1d'
    minimal_roi = {}
    stoploss = -0.99
    position_adjustment_enable = True
    startup_candle_count = 0
    can_short = False
    use_exit_signal = True
    def populate_indicators(self, dataframe, metadata):
        return dataframe
    def populate_entry_trend(self, dataframe, metadata):
        dataframe['enter_long'] = 0
        # The signal of a bar is filled at the open of the next.
        dataframe.loc[[bar - 1 for bar in OPENING], 'enter_long'] = 1
        return dataframe
    def populate_exit_trend(self, dataframe, metadata):
        dataframe['exit_long'] = 0
        dataframe.loc[[bar - 1 for bar in CLOSING], 'exit_long'] = 1
        return dataframe
    def custom_stake_amount(self, pair, current_time, current_rate, proposed_stake, min_stake, max_stake, leverage, entry_tag, side, **kwargs):
        import pandas as pd
        bar = (pd.Timestamp(current_time) - pd.Timestamp(START)).days
        return FILLS[bar] * OPENS[bar]
    def adjust_trade_position(self, trade, current_time, current_rate, current_profit, min_stake, max_stake, current_entry_rate, current_exit_rate, current_entry_profit, current_exit_profit, **kwargs):
        import pandas as pd
        bar = (pd.Timestamp(current_time) - pd.Timestamp(START)).days
        size = FILLS.get(bar, 0)
        if bar in OPENING + CLOSING or size == 0:
            return None
        if size > 0:
            return size * OPENS[bar]
        # The stake of an exit is the share of the stake that is closed.
        return -(-size / trade.amount) * trade.stake_amount
''' % (FILLS, OPENING, CLOSING, OPENS, str(START))

def main():
    out = Path(tempfile.mkdtemp()); (out / 'strategies').mkdir(parents=True, exist_ok=True); (out / 'data').mkdir(exist_ok=True)
    (out / 'strategies' / 'partial.py').write_text(STRATEGY)
    config = {
        'dry_run': True, 'runmode': RunMode.BACKTEST, 'stake_currency': 'USDT', 'stake_amount': 1020, 'dry_run_wallet': 100000, 'max_open_trades': 1,
        'tradable_balance_ratio': 1.0, 'fee': 0.001, 'timeframe': '1d', 'trading_mode': 'spot', 'margin_mode': '', 'candle_type_def': CandleType.SPOT,
        'strategy': 'Partial', 'strategy_path': str(out / 'strategies'), 'user_data_dir': out, 'datadir': out / 'data', 'exportfilename': None, 'export': 'none',
        'exchange': {'name': 'binance', 'pair_whitelist': [PAIR], 'pair_blacklist': [], 'ccxt_config': {}, 'ccxt_async_config': {}},
        'pairlists': [{'method': 'StaticPairList'}], 'entry_pricing': {'price_side': 'same', 'use_order_book': False, 'order_book_top': 1, 'price_last_balance': 0.0}, 'exit_pricing': {'price_side': 'same', 'use_order_book': False, 'order_book_top': 1},
        'unfilledtimeout': {'entry': 10, 'exit': 10, 'unit': 'minutes'}, 'internals': {}, 'dataformat_ohlcv': 'feather', 'dataformat_trades': 'feather', 'verbosity': 0, 'stoploss': -0.99, 'minimal_roi': {}, 'enable_protections': False, 'timerange': '20250101-20250113', 'cancel_open_orders_on_exit': False, 'original_config': {}, 'last_stake_amount_min_ratio': 0.5,
    }
    exchange = Exchange(config, validate=False, load_leverage_tiers=False)
    market = {'id': 'BTCUSDT', 'symbol': PAIR, 'base': 'BTC', 'quote': 'USDT', 'active': True, 'spot': True, 'swap': False, 'future': False, 'linear': None, 'contract': False, 'type': 'spot', 'maker': 0.001, 'taker': 0.001,
              'precision': {'price': 1e-08, 'amount': 1e-08}, 'limits': {'amount': {'min': None, 'max': None}, 'cost': {'min': None, 'max': None}, 'price': {'min': None, 'max': None}, 'leverage': {'min': None, 'max': None}}, 'info': {}, 'contractSize': None}
    exchange._markets = {PAIR: market}
    exchange._api.markets = {PAIR: market}
    exchange.reload_markets = lambda *a, **k: None
    bt = Backtesting(config, exchange=exchange)
    frame = pd.DataFrame({'date': pd.date_range(START, periods=len(OPENS), freq='D'), 'open': [float(o) for o in OPENS], 'high': [o + 2.0 for o in OPENS], 'low': [o - 2.0 for o in OPENS], 'close': [o + 1.0 for o in OPENS], 'volume': 1000.0})
    strat = bt.strategylist[0]
    bt._set_strategy(strat)
    processed = {PAIR: strat.advise_indicators(frame, {'pair': PAIR})}
    result = bt.backtest(processed=processed, start_date=START.to_pydatetime(), end_date=(START + pd.Timedelta(days=len(OPENS))).to_pydatetime())
    rows = []
    for _, t in result['results'].iterrows():
        rows.append({'size': float(t['amount']), 'entryBar': (t['open_date'] - START).days, 'exitBar': (t['close_date'] - START).days, 'entryPrice': float(t['open_rate']), 'exitPrice': float(t['close_rate']), 'profit': float(t['profit_abs']),
          'orders': [{'amount': float(o['amount']), 'price': float(o['safe_price']), 'side': 'buy' if o['ft_is_entry'] else 'sell'} for o in t['orders']]})
    print(json.dumps({'versions': {'freqtrade': freqtrade.__version__, 'pandas': pd.__version__}, 'trades': rows}, indent=1))

main()
