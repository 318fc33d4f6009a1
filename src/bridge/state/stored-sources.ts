import { isRemoved, type KnownSource, listKnownSources } from '../../store/removal/removed-sources.ts';
import type { Bridge } from '../bridge.ts';

/** Sources that are in the store and not in the configuration. */
export async function unconfiguredSources({ config, database }: Bridge): Promise<readonly KnownSource[]> {
  const known = await listKnownSources(database.reader);
  return known.filter(({ name }) => !Object.hasOwn(config.sources, name));
}

/** What such a source is, and what to type. */
export function describeUnconfigured({ name, removedAt }: KnownSource): string {
  return removedAt === undefined
    ? `${name} is in the store and not in the configuration: nothing of it is served, harvested or published. Put it back, or type rsbridge remove ${name}`
    : `${name} was removed at ${removedAt}: its lists tell those who follow it that everything is deleted. When they have seen it, type rsbridge remove ${name} --at-once`;
}

/** Whether anything is served at the addresses of a source. */
export function servesSource({ config, database }: Bridge, name: string): boolean | Promise<boolean> {
  return Object.hasOwn(config.sources, name) || isRemoved(database.reader, name);
}
