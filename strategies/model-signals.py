"""Predicts whether BTC-USDT rises within the next hour, from bars of one minute. Plain Python, no packages.

    npx tidegate data export sample --symbol BTC-USDT --kind bar --out bars.csv
    python3 strategies/model-signals.py bars.csv preds.csv
    npx tidegate data import preds.csv --kind signal --name sample-preds --replace

The model is a logistic regression that learns as it goes: a prediction uses only bars that have closed, and the
model has learnt only from hours that are over. The time of a row is the close of the last bar that it was made from.
"""

import csv
import math
import sys
from datetime import datetime, timedelta, timezone

HORIZON = 60  # minutes that a prediction looks ahead
EVERY = 15  # minutes between two predictions
LOOKBACKS = (15, 60, 240)  # minutes of the returns that the model sees
RATE = 0.05  # step of the regression
WARM_UP = 24 * 60  # minutes before the first prediction


def features(closes, at):
    """Returns over some periods up to the close `at`, in units of their usual size, and the momentary volatility."""
    steps = [math.log(closes[i] / closes[i - 1]) for i in range(at - 239, at + 1)]
    volatility = math.sqrt(sum(step * step for step in steps) / len(steps)) or 1e-9
    recent = math.sqrt(sum(step * step for step in steps[-30:]) / 30)
    returns = [math.log(closes[at] / closes[at - back]) / (volatility * math.sqrt(back)) for back in LOOKBACKS]
    return [1.0, *returns], recent / volatility


def main(bars_file, out_file):
    with open(bars_file, newline="") as file:
        rows = list(csv.DictReader(file))
    opens = [datetime.fromisoformat(row["time"].replace("Z", "+00:00")) for row in rows]
    closes = [float(row["close"]) for row in rows]
    weights = [0.0] * (1 + len(LOOKBACKS))
    waiting = []
    with open(out_file, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time", "symbol", "up", "regime"])
        for at in range(240, len(closes)):
            # The bar `at` has closed: hours that began HORIZON minutes ago are over, and the model learns from them.
            while waiting and waiting[0][0] + HORIZON <= at:
                began, seen, predicted = waiting.pop(0)
                error = (closes[began + HORIZON] > closes[began]) - predicted
                weights = [weight + RATE * error * value for weight, value in zip(weights, seen)]
            closed = opens[at] + timedelta(minutes=1)
            if closed.minute % EVERY != 0:
                continue
            seen, ratio = features(closes, at)
            predicted = 1 / (1 + math.exp(-sum(weight * value for weight, value in zip(weights, seen))))
            waiting.append((at, seen, predicted))
            if at < WARM_UP:
                continue
            regime = "wild" if ratio > 1.25 else "calm"
            stamp = closed.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            writer.writerow([stamp, "BTC-USDT", f"{predicted:.4f}", regime])


if __name__ == "__main__":
    main(*sys.argv[1:])
