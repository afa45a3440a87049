/** What a config may be run as. */
export type DoctorMode = 'backtest' | 'paper' | 'live';
