import { onLog } from '../bridge/log.ts';
import { catchSignals } from '../bridge/signals.ts';
import { main } from './main.ts';
import { logTrouble } from './process-trouble.ts';
import { freshLine } from './terminal/progress.ts';

/** These do something beside printing, and do it to the end. */
const working =
  /^(?:serve|demo|harvest|publish|export|init|withdraw|restore|remove|backup|reload|sources|admin|sync)$/;

/** The command line in a process of its own. */
export async function run(): Promise<void> {
  const [command = '', ...rest] = process.argv.slice(2);
  let hangup: (() => void) | undefined;
  const signals = catchSignals({
    process,
    exit: (code) => {
      // Bars may be there still.
      if (process.stderr.isTTY) process.stderr.write(freshLine(process.stderr, process.env));
      process.exit(code);
    },
    heard: (signal) => {
      if (signal === 'SIGHUP') hangup?.();
      else if (signal === 'SIGINT' && !signals.stop.aborted)
        process.stderr.write(
          `${freshLine(process.stderr, process.env)}stopping as soon as what is under way is safe; press Ctrl-C again to stop now\n`,
        );
    },
  });
  onLog((log) => {
    logTrouble(log);
    hangup = () => log.info('SIGHUP is ignored: only rsbridge serve reads its configuration again');
  });

  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough (`rsbridge status | head`) is no failure; nor is a terminal that was closed.
    if (error.code === 'EPIPE' && !working.test(command)) process.exit(0);
  });
  process.stderr.on('error', () => undefined);

  process.exitCode = await main(command === '' ? rest : [command, ...rest], {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    stop: signals.stop,
    abort: signals.abort,
    onHangup: (listener) => {
      hangup = listener;
    },
  });
  signals.release();
  // Everything is done: whoever asks once more need not wait, and gets the exit code all the same.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit());
  // Nothing of ours is open any more; what a library left open does not keep us.
  if (signals.stop.aborted) setTimeout(() => process.exit(), 2000).unref();
}
