import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { BridgeError, describeError } from '../../core/errors.ts';
import { type EventKind, type SimulatorSettings, usualSettings } from '../../simulate/settings.ts';

type Writable = { -readonly [name in keyof SimulatorSettings]?: SimulatorSettings[name] };
type Section = Readonly<Record<string, unknown>>;

/**
 * The configuration file of the reference's simulator (resync-simulator) as settings of ours: its sections `source`,
 * `resource_list_builder` and `changememory`.
 * @throws BridgeError `usage`
 */
export function readReferenceSettings(file: string): Partial<SimulatorSettings> {
  const read = new SettingsFile(file);
  const [source, lists, changes] = ['source', 'resource_list_builder', 'changememory'].map((name) =>
    read.section(name),
  );
  if (source === undefined) throw read.refusal('has no section `source`');
  const settings: Writable = {};
  if (typeof source.name === 'string') settings.title = source.name;
  read.take(source, 'number_of_resources', (value) => {
    settings.resources = value;
  });
  read.take(source, 'average_payload', (value) => {
    settings.size = value;
  });
  read.take(source, 'change_delay', (value) => {
    settings.rate = value === 0 ? 0 : 1 / value;
  });
  // There -1 means without end.
  if (source.max_events !== -1)
    read.take(source, 'max_events', (value) => {
      settings.maximumEvents = value;
    });
  if (source.event_types !== undefined)
    settings.events = parseEvents(source.event_types, `${file}: event_types`);
  if (changes?.max_changes !== -1)
    read.take(changes ?? {}, 'max_changes', (value) => {
      if (value > 0) settings.maximumChanges = value;
    });
  settings.offers = [
    ...(lists ? (['resourcelist'] as const) : []),
    ...(changes ? (['changelist'] as const) : []),
  ];
  settings.names = {
    ...usualSettings.names,
    resourcelist: placeOf(lists) ?? usualSettings.names.resourcelist,
    changelist: placeOf(changes) ?? usualSettings.names.changelist,
  };
  return settings;
}

/** @throws BridgeError `usage` */
export function parseEvents(words: unknown, where: string): readonly EventKind[] {
  const known = new Set(usualSettings.events);
  const isKind = (word: unknown): word is EventKind => known.has(word as EventKind);
  if (Array.isArray(words) && words.length > 0 && words.every(isKind)) return words;
  throw new BridgeError('usage', `${where} is ${JSON.stringify(words)}: give some of create, update, delete`);
}

class SettingsFile {
  readonly #file: string;
  readonly #content: Section;

  constructor(file: string) {
    this.#file = file;
    let content: unknown;
    try {
      content = parse(readFileSync(file, 'utf8'));
    } catch (error) {
      throw this.refusal(`cannot be read: ${describeError(error)}`);
    }
    if (!isSection(content)) throw this.refusal('is no configuration of resync-simulator');
    this.#content = content;
  }

  section(name: string): Section | undefined {
    const found = this.#content[name];
    if (found === undefined || found === null) return undefined;
    if (!isSection(found)) throw this.refusal(`has a ${name} that is no section`);
    return found;
  }

  take(section: Section, name: string, use: (value: number) => void): void {
    const value = section[name];
    if (value === undefined) return;
    if (typeof value !== 'number' || !(value >= 0))
      throw this.refusal(`has ${name}: ${value}; give a number`);
    use(value);
  }

  refusal(what: string): BridgeError {
    return new BridgeError('usage', `--settings ${this.#file} ${what}`);
  }
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function placeOf(section: Section | undefined): string | undefined {
  const given = section?.uri_path;
  return typeof given === 'string' && /^[\w./-]+\.xml$/.test(given)
    ? `/${given.replace(/^\//, '')}`
    : undefined;
}
