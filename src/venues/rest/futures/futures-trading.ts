export { SpotTrading as FuturesTrading } from '../spot/spot-trading.ts';
