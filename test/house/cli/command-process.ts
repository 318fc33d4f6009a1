import { runMain } from './run-main.ts';

/** What `run-beside.ts` asks of its process. */
export interface AskedCommand {
  readonly id: number;
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

let last: Promise<unknown> = Promise.resolve();
process.on('message', ({ id, cwd, args, env }: AskedCommand) => {
  // Two that write to one SQLite file in one process would wait for each other for ever.
  last = last.then(async () => process.send?.({ id, outcome: await runMain(cwd, args, env) }));
});
process.once('disconnect', () => process.exit());
