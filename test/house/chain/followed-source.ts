import { afterEach, beforeEach } from 'vitest';
import { capabilityList, WrittenSource } from '../resourcesync/written-source.ts';
import { Level } from './level.ts';

/**
 * A Source that a test writes, and a bridge that follows it: each test has its own, closed behind it. It has a Resource List, `/list.xml`, and a Change List,
 * `/changes.xml`, which one of its Capability Lists leaves out.
 */
export class FollowedSource {
  #source: WrittenSource | undefined;
  #level: Level | undefined;

  constructor() {
    beforeEach(async () => {
      this.#level = undefined;
      this.#source = await WrittenSource.open();
      const { origin } = this.#source;
      const lists = { resourcelist: '/list.xml' };
      this.#source.put('/alone.xml', capabilityList(origin, lists));
      this.#source.put('/cap.xml', capabilityList(origin, { ...lists, changelist: '/changes.xml' }));
    });
    afterEach(async () => {
      await this.#level?.close();
      await this.#source?.close();
    });
  }

  get source(): WrittenSource {
    if (!this.#source) throw new Error('a Source is there within a test');
    return this.#source;
  }

  get level(): Level {
    if (!this.#level) throw new Error('nobody follows the Source yet');
    return this.#level;
  }

  async follow({ withChanges }: { readonly withChanges: boolean }): Promise<void> {
    const url = `${this.source.origin}/${withChanges ? 'cap' : 'alone'}.xml`;
    this.#level = await Level.open('far', { adapter: 'resourcesync', url });
  }
}
