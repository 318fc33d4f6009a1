import type { Config } from '../../core/config/config.ts';

/** Those who look after repositories, by their address, each with the names of the sources. One mail goes to each. */
export function contactsOf({ sources }: Pick<Config, 'sources'>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [name, { digestTo }] of Object.entries(sources)) {
    if (digestTo === undefined) continue;
    const others = found.get(digestTo);
    if (others) others.push(name);
    else found.set(digestTo, [name]);
  }
  return found;
}
