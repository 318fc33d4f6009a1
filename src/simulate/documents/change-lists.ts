import type { Change, Repository } from '../repository/repository.ts';
import type { SimulatorSettings } from '../settings.ts';
import type { Draft } from './draft.ts';
import type { EntryWriting } from './entries.ts';
import { numbered, numberIn } from './names.ts';

/** Changes that one list tells of, or one package has. */
export interface Stretch {
  /** Counted from the first that there ever was. */
  readonly number: number;
  readonly from: string;
  /** Undefined: it is open. */
  readonly until: string | undefined;
  readonly changes: readonly Change[];
}

/** The open Change List; with `closeAfter` an index of closed ones, and the open one behind them. */
export class ChangeLists {
  readonly #settings: SimulatorSettings;
  readonly #writing: EntryWriting;
  readonly #repository: Repository;

  constructor(settings: SimulatorSettings, writing: EntryWriting, repository: Repository) {
    this.#settings = settings;
    this.#writing = writing;
    this.#repository = repository;
  }

  top(): Draft {
    const { names, closeAfter } = this.#settings;
    const { changes, changesFrom: from } = this.#repository;
    if (closeAfter === undefined)
      return this.#list(names.changelist, { number: 0, from, until: undefined, changes }, undefined);
    const entries = this.stretches().map((stretch) =>
      this.#writing.ofDocument(numbered(names.changelist, stretch.number), {
        from: stretch.from,
        until: stretch.until,
      }),
    );
    return {
      ...{ path: names.changelist, capability: 'changelist', root: 'sitemapindex' },
      md: { capability: 'changelist', from },
      links: [this.#writing.linkTo('up', names.capabilitylist)],
      entries,
    };
  }

  part(path: string): Draft | undefined {
    const { names } = this.#settings;
    const number = numberIn(path, names.changelist);
    const stretch = number === undefined ? undefined : this.stretches().find((one) => one.number === number);
    return stretch && this.#list(path, stretch, names.changelist);
  }

  /** In their order; the last one is open. */
  stretches(): readonly Stretch[] {
    const { closeAfter = Number.MAX_SAFE_INTEGER } = this.#settings;
    const { changes, changeCount, changesFrom } = this.#repository;
    const forgotten = changeCount - changes.length;
    const stretches: Stretch[] = [];
    let from = changesFrom;
    for (let at = 0; ; ) {
      const number = Math.floor((forgotten + at) / closeAfter);
      const end = (number + 1) * closeAfter - forgotten;
      const inside = changes.slice(at, end);
      const isClosed = end <= changes.length;
      const until = isClosed ? inside.at(-1)?.at : undefined;
      stretches.push({ number, from, until, changes: inside });
      if (!isClosed) return stretches;
      from = until ?? from;
      at = end;
    }
  }

  #list(path: string, { from, until, changes }: Stretch, index: string | undefined): Draft {
    const { names } = this.#settings;
    const up = this.#writing.linkTo('up', names.capabilitylist);
    return {
      ...{ path, capability: 'changelist', root: 'urlset', md: { capability: 'changelist', from, until } },
      links: index === undefined ? [up] : [up, this.#writing.linkTo('index', index)],
      entries: changes.map((change) => this.#writing.ofChange(change)),
    };
  }
}
