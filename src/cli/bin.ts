import { isOutOfFiles, openFilesLimit } from '../bridge/open-files.ts';

const limit = openFilesLimit();
try {
  const { run } = await import('./run.ts');
  await run();
} catch (error) {
  if (!isOutOfFiles(error)) throw error;
  const advice = 'Raise it, e.g. `ulimit -n 4096`, or LimitNOFILE=4096 in the unit of systemd.';
  process.stderr.write(
    `rsbridge: this process may not have more than ${limit} files open, which is too few\n${advice} [too-many-files]\n`,
  );
  process.exitCode = 6;
}
