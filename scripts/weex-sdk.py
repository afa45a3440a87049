"""Calls every method of weex_sdk for trade and account once, and writes one JSON line for each. Called by scripts/weex-sdk.mjs.

usage: weex-sdk.py FUTURES_URL KEY SECRET PASSPHRASE
"""

import asyncio
import inspect
import json
import logging
import sys
import time

from weex_sdk import AsyncWeexClient, WeexClient
from weex_sdk.api.account import AccountAPI, AsyncAccountAPI
from weex_sdk.api.trade import AsyncTradeAPI, TradeAPI

url, key, secret, passphrase = sys.argv[1:5]
SYMBOL = "cmt_btcusdt"
# Ten requests a second may place or cancel.
PAUSE_S = 0.15
# Refusals are findings of this script.
logging.disable(logging.ERROR)
ids = {}


def order(client_oid, **more):
    """A bid far below the price of 60,000."""
    terms = {"client_oid": client_oid, "size": "0.01", "order_type": "0", "match_price": "0", "price": "50000", "type": "1"}
    return {**terms, **more}


def trigger(client_oid):
    return {
        "symbol": SYMBOL,
        "client_oid": client_oid,
        "size": "0.01",
        "type": "3",
        "match_type": "1",
        "execute_price": "0",
        "trigger_price": "40000",
    }


# In the order of their calls: later ones need what earlier ones made. Each gives its arguments and, of its answer, what must hold.
CALLS = [
    ("account.set_leverage", lambda: {"symbol": SYMBOL, "margin_mode": 1, "long_leverage": "10"}, lambda r: r["code"] == "200"),
    ("account.get_settings", lambda: {"symbol": SYMBOL}, lambda r: float(r[SYMBOL]["cross_leverage"]) == 10),
    ("trade.place_order", lambda: {"symbol": SYMBOL, **order("sdk-1")}, lambda r: ids.update(order=r["order_id"]) is None),
    ("trade.get_order_detail", lambda: {"order_id": ids["order"]}, lambda r: r["client_oid"] == "sdk-1"),
    ("trade.get_current_orders", lambda: {"symbol": SYMBOL}, lambda r: any(one["client_oid"] == "sdk-1" for one in r)),
    ("trade.cancel_order", lambda: {"order_id": ids["order"]}, lambda r: r["result"] is True),
    (
        "trade.batch_orders",
        lambda: {"symbol": SYMBOL, "order_data_list": [order("sdk-2"), order("sdk-3")]},
        lambda r: [one["result"] for one in r["order_info"]] == [True, True],
    ),
    ("trade.cancel_batch_orders", lambda: {"cids": ["sdk-2", "sdk-3"]}, lambda r: len(r["cancelOrderResultList"]) == 2),
    ("trade.get_order_history", lambda: {"symbol": SYMBOL}, lambda r: len(r) >= 3),
    # A market order opens a position.
    ("trade.place_order", lambda: {"symbol": SYMBOL, **order("sdk-4", match_price="1")}, lambda r: r["client_oid"] == "sdk-4"),
    ("trade.get_order_fills", lambda: {"symbol": SYMBOL}, lambda r: r["list"][0]["fillSize"] != ""),
    ("account.get_single_position", lambda: {"symbol": SYMBOL}, lambda r: json.dumps(r).find("LONG") > 0),
    ("account.get_all_positions", lambda: {}, lambda r: r[0]["side"] == "LONG"),
    ("account.get_bills", lambda: {"limit": 100}, lambda r: len(r["items"]) > 0),
    ("account.get_assets", lambda: {}, lambda r: r[0]["coinName"] == "USDT"),
    ("trade.place_plan_order", lambda: trigger("sdk-5"), lambda r: ids.update(trigger=r["order_id"]) is None),
    ("trade.get_current_plan", lambda: {"symbol": SYMBOL}, lambda r: r[0]["client_oid"] == "sdk-5"),
    ("trade.cancel_plan", lambda: {"order_id": ids["trigger"]}, lambda r: r["result"] is True),
    ("trade.get_history_plan", lambda: {"symbol": SYMBOL}, lambda r: r["list"][0]["client_oid"] == "sdk-5"),
    (
        "trade.place_tp_sl_order",
        lambda: {
            "symbol": SYMBOL,
            "client_order_id": "sdk-6",
            "plan_type": "loss_plan",
            "trigger_price": "45000",
            "size": "0.01",
            "position_side": "long",
        },
        lambda r: ids.update(stop=r[0]["orderId"]) is None and r[0]["success"],
    ),
    ("trade.modify_tp_sl_order", lambda: {"order_id": ids["stop"], "trigger_price": "46000"}, lambda r: str(r["code"]) in ("00000", "200")),
    ("trade.cancel_all_orders", lambda: {"cancel_order_type": "plan"}, lambda r: r[0]["success"]),
    ("trade.close_positions", lambda: {"symbol": SYMBOL}, lambda r: r[0]["success"]),
    ("account.get_accounts", lambda: {}, None),
    ("account.get_account", lambda: {"coin": "USDT"}, None),
    ("account.adjust_margin", lambda: {"isolated_position_id": 1, "collateral_amount": "1"}, None),
    ("account.modify_auto_append_margin", lambda: {"position_id": 1, "auto_append_margin": False}, None),
    ("account.change_hold_model", lambda: {"symbol": SYMBOL, "margin_mode": 1}, None),
]


def methods(prefix, api):
    return {f"{prefix}.{name}" for name, _ in inspect.getmembers(api, inspect.isfunction) if not name.startswith("_")}


def tell(method, kind, error=""):
    print(json.dumps({"method": method, "kind": kind, "error": error}), flush=True)


def call(kind, method, arguments, holds, ask):
    """An operation of which no document says anything is refused as unknown."""
    time.sleep(PAUSE_S)
    try:
        answer = ask(arguments())
        isRight = holds is not None and holds(answer)
        tell(method, kind, "" if isRight else f"answered {json.dumps(answer)[:200]}")
    except Exception as error:  # noqa: BLE001: whatever the package raises is the finding
        isUnknown = holds is None and "no such path" in str(error)
        tell(method, "unknown" if isUnknown else kind, "" if isUnknown else f"{type(error).__name__}: {error}")


def of(client, method):
    api, name = method.split(".")
    return getattr(getattr(client, api), name)


client = WeexClient(api_key=key, secret_key=secret, passphrase=passphrase, base_url=url)
for method, arguments, holds in CALLS:
    call("plain", method, arguments, holds, lambda given: of(client, method)(**given))
for missing in sorted((methods("trade", TradeAPI) | methods("account", AccountAPI)) - {method for method, _, _ in CALLS}):
    tell(missing, "plain", "is not called by this script")


async def asynchronous():
    async with AsyncWeexClient(api_key=key, secret_key=secret, passphrase=passphrase, base_url=url) as later:
        there = methods("trade", AsyncTradeAPI) | methods("account", AsyncAccountAPI)
        for method, arguments, holds in CALLS:
            if method not in there:
                continue
            await asyncio.sleep(PAUSE_S)
            given = arguments()
            if "client_oid" in given:
                given["client_oid"] += "-later"
            try:
                answer = await of(later, method)(**given)
                tell(method, "async", "" if holds is not None else f"answered {json.dumps(answer)[:200]}")
            except Exception as error:  # noqa: BLE001
                isUnknown = holds is None and "no such path" in str(error)
                tell(method, "unknown" if isUnknown else "async", "" if isUnknown else f"{type(error).__name__}: {error}")


asyncio.run(asynchronous())
