"""Prints ta-lib.json: bars, and the values of TA-Lib for them. Needs the packages `TA-Lib` and `numpy` of PyPI.

    python ta_lib.py > ta-lib.json
"""
import json
import sys

import numpy as np
import talib

BARS = 120
DECIMALS = 10


class Draw:
    """A generator of numbers that any language has (Lehmer)."""

    state = 7

    def below(self, limit):
        self.state = 48271 * self.state % 2147483647
        return self.state % limit


def walk():
    """Open, high, low, close in dollars of whole cents, and volume."""
    draw, close, rows = Draw(), 10_000, []
    for _ in range(BARS):
        opened = close
        close = opened + draw.below(401) - 195
        high = max(opened, close) + draw.below(120)
        low = min(opened, close) - draw.below(120)
        rows.append([opened / 100, high / 100, low / 100, close / 100, 100 + draw.below(900)])
    return rows


ROWS = walk()
O, H, L, C, V = (np.array(column, dtype=float) for column in zip(*ROWS))
EMA = talib.MA_Type.EMA

macd, signal, histogram = talib.MACD(C, 12, 26, 9)
upper, middle, lower = talib.BBANDS(C, 20, 2, 2)
down, up = talib.AROON(H, L, 14)
slow_k, slow_d = talib.STOCH(H, L, C, 14, 3, 0, 3, 0)

VALUES = {
    "AD": talib.AD(H, L, C, V),
    "ADOSC(3,10)": talib.ADOSC(H, L, C, V, 3, 10),
    "ADX(14)": talib.ADX(H, L, C, 14),
    "ADXR(14)": talib.ADXR(H, L, C, 14),
    "APO(12,26)": talib.APO(C, 12, 26, EMA),
    "AROON(14) down": down,
    "AROON(14) up": up,
    "ATR(14)": talib.ATR(H, L, C, 14),
    "BBANDS(20,2) lower": lower,
    "BBANDS(20,2) middle": middle,
    "BBANDS(20,2) upper": upper,
    "BOP": talib.BOP(O, H, L, C),
    "CCI(14)": talib.CCI(H, L, C, 14),
    "CMO(14)": talib.CMO(C, 14),
    "DEMA(10)": talib.DEMA(C, 10),
    "DX(14)": talib.DX(H, L, C, 14),
    "EMA(14)": talib.EMA(C, 14),
    "EMA(50)": talib.EMA(C, 50),
    "KAMA(10)": talib.KAMA(C, 10),
    "LINEARREG(14)": talib.LINEARREG(C, 14),
    "MACD(12,26,9) macd": macd,
    "MACD(12,26,9) signal": signal,
    "MACD(12,26,9) histogram": histogram,
    "MFI(14)": talib.MFI(H, L, C, V, 14),
    "MOM(10)": talib.MOM(C, 10),
    "NATR(14)": talib.NATR(H, L, C, 14),
    "OBV": talib.OBV(C, V),
    "PLUS_DI(14)": talib.PLUS_DI(H, L, C, 14),
    "PPO(12,26)": talib.PPO(C, 12, 26, EMA),
    "ROC(10)": talib.ROC(C, 10),
    "RSI(14)": talib.RSI(C, 14),
    "SAR(0.02,0.2)": talib.SAR(H, L, 0.02, 0.2),
    "SMA(14)": talib.SMA(C, 14),
    "STOCH(14,3,3) slowD": slow_d,
    "STOCH(14,3,3) slowK": slow_k,
    "T3(5)": talib.T3(C, 5, 0.7),
    "TEMA(8)": talib.TEMA(C, 8),
    "TRANGE": talib.TRANGE(H, L, C),
    "TRIMA(14)": talib.TRIMA(C, 14),
    "TRIX(10)": talib.TRIX(C, 10),
    "ULTOSC(7,14,28)": talib.ULTOSC(H, L, C, 7, 14, 28),
    "WILLR(14)": talib.WILLR(H, L, C, 14),
    "WMA(14)": talib.WMA(C, 14),
}


def plain(values):
    """Rounded numbers; null before the first one."""
    return [None if np.isnan(value) else round(float(value), DECIMALS) for value in values]


version = talib.__ta_version__.decode().split()[0]
golden = {
    "library": f"TA-Lib {version} (PyPI TA-Lib {talib.__version__})",
    "bars": ROWS,
    "values": {name: plain(values) for name, values in VALUES.items()},
}
json.dump(golden, sys.stdout)
print()
