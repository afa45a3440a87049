// pm2 start ecosystem.config.cjs --only tidegate-paper: docs/live.md leads through it.
const bot = (name, command, config, graceMs) => ({
  name,
  script: 'bin/tidegate.mjs',
  args: [command, config],
  cwd: __dirname,
  // One process a bot: its journal lets no second one in.
  instances: 1,
  exec_mode: 'fork',
  // Ready when journal and exchange have been laid side by side and the strategies start.
  wait_ready: true,
  listen_timeout: 60_000,
  // SIGINT stops the bot; SIGKILL comes later than its own grace (live.graceMs).
  kill_timeout: graceMs + 10_000,
  // What a restart cannot mend: 2 config, 3 data, 4 strategy, 5 invariant, 7 journal want a person. Not 0: pm2 takes a
  // process that a signal killed (kill -9, out of memory) for one that ended with 0, and would never start it again.
  stop_exit_codes: [2, 3, 4, 5, 7],
  exp_backoff_restart_delay: 1_000,
  // log.jsonl in the bot's folder has it all.
  out_file: '/dev/null',
  merge_logs: true,
});

module.exports = {
  apps: [
    bot('tidegate-paper', 'paper', 'configs/sma-cross.yaml', 15_000),
    bot('tidegate-live', 'live', 'configs/my-bot.yaml', 15_000),
    // Beside tidegate-live: cancels its orders when it falls silent (docs/watchdog.md).
    bot('tidegate-watchdog', 'watchdog', 'configs/my-bot.yaml', 15_000),
    // Records the tickers of the same config; a bot of it then has no `record` section of the same name.
    bot('tidegate-record', 'record', 'configs/my-bot.yaml', 15_000),
  ],
};
