import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/**
 * Where a tool is: as the environment variable of its name says (`NGINX=/path/to/nginx`), or in PATH. Says so on stderr when
 * it is nowhere.
 * @param args with which it ends at once, and well
 */
export function findTool(name: string, args: readonly string[], neededFor: string): string | undefined {
  const variable = name.toUpperCase().replaceAll('-', '_');
  const candidates = [process.env[variable], ...places.map((place) => join(place, name))];
  const found = candidates.find((file) => file && spawnSync(file, args, { stdio: 'ignore' }).status === 0);
  if (!found)
    process.stderr.write(`SKIPPED: ${neededFor} needs ${name} in PATH, or ${variable}=/path/to/${name}\n`);
  return found;
}

/** Runs it. @returns what it says, on whichever stream, and its exit code */
export function runTool(
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): { readonly code: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(file, args, {
    cwd: options.cwd,
    encoding: 'utf8',
    env: { ...process.env, ...options.env },
  });
  return { code: status, text: `${stdout}${stderr}` };
}
