import type { Config } from '../../core/config/config.ts';
import { upstreamOai } from '../../core/config/oai-schema.ts';
import { refusal } from '../../core/errors.ts';
import { pageNames, reservedNames } from '../../core/uris.ts';

/** @throws BridgeError `usage` */
export function refuseTaken({ config }: { readonly config: Config }, name: string): void {
  if (Object.hasOwn(config.sources, name)) throw refusal('usage', 'name-taken', { name });
  refusePageName(name);
}

/** One that is there already keeps it. @throws BridgeError `usage` */
export function refusePageName(name: string): void {
  if (pageNames.has(name)) throw refusal('usage', 'name-is-a-page', { name });
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
  if (known !== undefined) throw refusal('usage', 'address-is-a-source', { url, name: known });
}

/** A name that nobody has, no page of ours either: `host`, `host-2`. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  const isTaken = () => taken.has(name) || pageNames.has(name) || reservedNames.has(name);
  for (let number = 2; isTaken(); number += 1) name = `${wanted}-${number}`;
  return name;
}
