import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { binary } from '../process/script.ts';
import { runBeside } from './run-beside.ts';

export interface TypedBeside {
  /** What a file `rsbridge` in PATH contains. */
  readonly script: string;
  close(): Promise<void>;
}

/**
 * `rsbridge` for scripts of a shell that type many short commands: what it is asked runs in the process of `runBeside`, with the script's directory, output
 * and exit code, and with nothing to read. What goes on beside the script is a process of its own, as always, and so is what looks whether any other has the
 * database open.
 * @param env of the commands
 */
export async function openTypedBeside(env: Readonly<Record<string, string>>): Promise<TypedBeside> {
  const server = createServer(async (request, response) => {
    const [cwd = '', place = '', ...args] = (await buffer(request)).toString().split('\0').slice(0, -1);
    const { code, stdout, stderr } = await runBeside(cwd, args, env).catch((error: unknown) => ({
      code: 1,
      stdout: '',
      stderr: String(error),
    }));
    writeFileSync(join(place, 'stdout'), stdout);
    writeFileSync(join(place, 'stderr'), stderr);
    response.end(String(code));
  });
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    script: `#!/bin/sh
case "$1" in serve | simulate | backup | restore) exec "${process.execPath}" "${binary()}" "$@" ;; esac
said=$(mktemp -d)
code=$(printf '%s\\0' "$PWD" "$said" "$@" | curl -sS --data-binary @- http://127.0.0.1:${port}/)
cat "$said/stdout"
cat "$said/stderr" >&2
rm -r "$said"
exit "$code"
`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
