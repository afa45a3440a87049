/**
 * Counts the changes to what the engine and risk decide of the same events. A bot's journal says by which it ran, so that a replay
 * decides as the bot did.
 *
 * - 0: a kill lets pass what reduces; whether an order reduces goes by the account's net position; nothing counts what waits to be
 *   sent; a halt refuses every order; a close that is larger than one order may be is refused.
 * - 1: a kill ends all orders of strategies; whether an order reduces goes by its strategy's own position; `maxQueuedOrders`; a halt
 *   lets pass what closes; a close that is larger than one order may be goes out in several.
 */
export const RULES = 1;
