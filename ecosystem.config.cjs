// pm2 start ecosystem.config.cjs --only tidegate-paper: docs/how-to/deploy-with-pm2.md explains it.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

// In a project of your own, a copy of this file runs the installed package.
const own = join(__dirname, 'bin/tidegate.mjs');
const script = existsSync(own) ? own : join(__dirname, 'node_modules/tidegate/bin/tidegate.mjs');

const app = (name, command, config, { graceMs = 15_000, final }) => ({
  name,
  script,
  args: [command, config],
  cwd: __dirname,
  // One process for each bot: its journal refuses a second one.
  instances: 1,
  exec_mode: 'fork',
  // A bot is ready when its journal has been compared with the exchange and its strategies have started.
  wait_ready: true,
  listen_timeout: 60_000,
  // SIGINT stops the bot. SIGKILL follows later than the bot's own grace (live.graceMs).
  kill_timeout: graceMs + 10_000,
  // Exit codes after which pm2 does not restart. Never 0: pm2 reports a process that a signal ended (kill -9, out of memory)
  // as one that ended with 0, and would not restart it.
  stop_exit_codes: final,
  exp_backoff_restart_delay: 1_000,
  // log.jsonl in the bot's folder has every line.
  out_file: '/dev/null',
  merge_logs: true,
});

// The same codes as RestartPreventExitStatus of the units in docs/systemd.
const FINAL = {
  // Config, data, strategy, invariant, journal: a person has to act.
  bot: [2, 3, 4, 5, 7],
  // Config, keys. Not 7: the other watchdog of this bot may end.
  watchdog: [2],
  // Config, data, invariant.
  recorder: [2, 3, 5],
};

module.exports = {
  apps: [
    app('tidegate-paper', 'paper', 'configs/sma-cross.yaml', { final: FINAL.bot }),
    app('tidegate-live', 'live', 'configs/my-bot.yaml', { final: FINAL.bot }),
    // Cancels the orders of tidegate-live when its heartbeat stops (docs/reference/watchdog.md).
    app('tidegate-watchdog', 'watchdog', 'configs/my-bot.yaml', { final: FINAL.watchdog }),
    // Records the tickers of the same config. The bot then has no `record` section of the same name.
    app('tidegate-record', 'record', 'configs/my-bot.yaml', { final: FINAL.recorder }),
  ],
};
