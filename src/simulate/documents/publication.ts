import type { Repository, Snapshot } from '../repository/repository.ts';
import type { SimulatorSettings } from '../settings.ts';
import { ChangeLists } from './change-lists.ts';
import type { Draft } from './draft.ts';
import { EntryWriting } from './entries.ts';
import { type Pack, Packages } from './packages.ts';
import { ResourceLists } from './resource-lists.ts';

/** Paths → the documents and packages of a Source that does everything right. */
export class Publication {
  readonly #settings: SimulatorSettings;
  readonly #repository: Repository;
  readonly #writing: EntryWriting;
  readonly #resourceLists: ResourceLists;
  readonly #changeLists: ChangeLists;
  readonly #packages: Packages;
  #listed: Snapshot;

  constructor(settings: SimulatorSettings, repository: Repository, origin: string, pack: Pack) {
    this.#settings = settings;
    this.#repository = repository;
    this.#writing = new EntryWriting(settings, origin);
    this.#resourceLists = new ResourceLists(settings, this.#writing);
    this.#changeLists = new ChangeLists(settings, this.#writing, repository);
    this.#packages = new Packages(settings, this.#writing, pack);
    this.#listed = repository.snapshot();
  }

  /** The Resource List and the dump are of now. */
  list(): void {
    this.#listed = { ...this.#repository.snapshot(), at: this.#repository.now };
  }

  document(path: string): Draft | undefined {
    const { names } = this.#settings;
    if (path === names.description) return this.#description();
    if (path === names.capabilitylist) return this.#capabilities();
    if (path === names.resourcelist) return this.#resourceLists.top(this.#snapshot());
    if (path === names.changelist) return this.#changeLists.top();
    if (path === names.resourcedump) return this.#packages.resourceDump(this.#snapshot());
    if (path === names.changedump) return this.#packages.changeDump(this.#changeLists.stretches());
    return (
      this.#resourceLists.part(path) ??
      this.#changeLists.part(path) ??
      this.#packages.manifest(path, () => this.#changeLists.stretches())
    );
  }

  package(path: string): Buffer | undefined {
    return this.#packages.package(path, () => this.#changeLists.stretches());
  }

  #snapshot(): Snapshot {
    if (this.#settings.listEverySeconds > 0) return this.#listed;
    return this.#repository.snapshot();
  }

  #description(): Draft {
    const { names } = this.#settings;
    return {
      ...{ path: names.description, capability: 'description', root: 'urlset' },
      md: { capability: 'description' },
      links: [this.#writing.linkTo('describedby', '/')],
      entries: [
        {
          ...this.#writing.ofDocument(names.capabilitylist, { capability: 'capabilitylist' }),
          links: [this.#writing.linkTo('describedby', '/')],
        },
      ],
    };
  }

  #capabilities(): Draft {
    const { names, offers } = this.#settings;
    return {
      ...{ path: names.capabilitylist, capability: 'capabilitylist', root: 'urlset' },
      md: { capability: 'capabilitylist' },
      links: [this.#writing.linkTo('describedby', '/'), this.#writing.linkTo('up', names.description)],
      entries: offers.map((capability) => this.#writing.ofDocument(names[capability], { capability })),
    };
  }
}
