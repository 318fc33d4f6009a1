import type { Config } from '../../core/config/config.ts';
import { upstreamOai } from '../../core/config/oai-schema.ts';
import { BridgeError } from '../../core/errors.ts';

/** @throws BridgeError `usage` */
export function refuseTaken({ config }: { readonly config: Config }, name: string): void {
  if (Object.hasOwn(config.sources, name))
    throw new BridgeError('usage', `there is a source called ${name} already; choose another name`);
}

/** The source that is read at an address. */
export function sourceAt(sources: Config['sources'], url: string): string | undefined {
  return Object.entries(sources).find(
    ([, source]) => source.url === url || upstreamOai(source.oai) === url,
  )?.[0];
}

/** @throws BridgeError `usage` */
export function refuseKnown({ config }: { readonly config: Config }, url: string): void {
  const known = sourceAt(config.sources, url);
  if (known !== undefined) throw new BridgeError('usage', `${url} is read already, as the source ${known}`);
}

/** A name that nobody has: `host`, `host-2`. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}-${number}`;
  return name;
}
