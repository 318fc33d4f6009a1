import { createRandom } from '../../core/draws/random.ts';
import type { PathKind, SimulatorSettings } from '../settings.ts';
import { generatedContent } from './content.ts';
import type { Repository } from './repository.ts';

export type LifeSettings = Pick<SimulatorSettings, 'seed' | 'resources' | 'size' | 'events' | 'paths'>;

/** Changes at random: which resource, what happens to it, how large it becomes. The same seed has the same history. */
export class Life {
  readonly #repository: Repository;
  readonly #settings: LifeSettings;
  readonly #random: () => number;
  /** Of what it made and is still there, in no order. */
  readonly #paths: string[] = [];
  #named = 0;
  #events = 0;

  constructor(repository: Repository, settings: LifeSettings) {
    this.#repository = repository;
    this.#settings = settings;
    this.#random = createRandom(settings.seed);
    for (let count = 0; count < settings.resources; count += 1) this.#create(false);
  }

  /** Changes that were made. */
  get events(): number {
    return this.#events;
  }

  /** One change; none where nothing is there to change. */
  step(): void {
    const { events } = this.#settings;
    const kind = events[Math.floor(this.#random() * events.length)];
    this.#events += 1;
    if (kind === 'create') {
      this.#create(true);
      return;
    }
    const at = Math.floor(this.#random() * this.#paths.length);
    const path = this.#paths[at];
    if (path === undefined) return;
    if (kind === 'update' && this.#repository.get(path) !== undefined) {
      this.#write(path, true);
      return;
    }
    // The last takes its place.
    const last = this.#paths.pop();
    if (last !== undefined && last !== path) this.#paths[at] = last;
    this.#repository.remove(path);
  }

  #create(isTold: boolean): void {
    this.#named += 1;
    const path = pathOf(this.#named, this.#settings.paths);
    this.#paths.push(path);
    this.#write(path, isTold);
  }

  #write(path: string, isTold: boolean): void {
    const length = Math.round(this.#random() * 2 * this.#settings.size);
    const words = `${path}, event ${this.#events} of seed ${this.#settings.seed}`;
    this.#repository.put(path, generatedContent(words, length), 'text/plain', '', isTold);
  }
}

function pathOf(number: number, kind: PathKind): string {
  if (kind === 'plain') return `/resources/${number}`;
  const forms = kind === 'odd' ? oddForms : climbingForms;
  const form = forms[number % forms.length] ?? oddForms[0];
  return form(Math.floor(number / forms.length));
}

/** They lose something where they are taken for paths of files. */
const oddForms = [
  (group: number) => `/odd/${group}`,
  (group: number) => `/odd/${group}/below`,
  (group: number) => `/odd/${group}/`,
  (group: number) => `/odd/view?id=${group}&format=xml`,
  (group: number) => `/odd/Case-${group}`,
  (group: number) => `/odd/case-${group}`,
  (group: number) => `/odd/%E5%8C%97-${group}%2Fpart`,
  (group: number) => `/odd/con.${group}.`,
  (group: number) => `/odd/oai:example.org:${group}`,
  (group: number) => `/odd/${'long-'.repeat(60)}${group}`,
  (group: number) => `/odd/;v=${group}/a+b~c'(d)`,
] as const;

const climbingForms = [
  (group: number) => `/resources/${group}`,
  (group: number) => `/%2e%2e%2f%2e%2e%2fclimbed-${group}`,
  (group: number) => `/..%2fclimbed-${group}`,
  (group: number) => `/a/..%5c..%5cclimbed-${group}`,
  (group: number) => `/climbed-${group}%00.txt`,
  (group: number) => `/%2fetc%2fclimbed-${group}`,
  (group: number) => `/c:%5cclimbed-${group}`,
  (group: number) => `/.rsbridge/climbed-${group}`,
] as const;
