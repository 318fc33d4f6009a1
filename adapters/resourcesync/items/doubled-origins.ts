import type { AdapterContext } from '../../../src/core/adapter.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { hrefs } from './role.ts';

const lesson = 'read-twice';
/** Places of one host, as far as they are told apart. */
const mostPlaces = 1_000;

/**
 * Notices a Source that hands on what another source of this bridge reads at its origin: it may have it from this bridge,
 * by whatever detour, and would keep it alive here after it was deleted there.
 */
export class DoubledOrigins {
  readonly #context: Pick<AdapterContext, 'lessons' | 'readBy'>;
  readonly #places = new Set<string>();
  #isFound = false;

  constructor(context: Pick<AdapterContext, 'lessons' | 'readBy'>) {
    this.#context = context;
  }

  note(statement: Statement): void {
    const [via] = hrefs(statement, 'via');
    if (via === undefined || this.#isFound || this.#places.size >= mostPlaces) return;
    const place = via.split(/[/?#]/, 4).join('/');
    if (this.#places.has(place)) return;
    this.#places.add(place);
    const source = this.#context.readBy?.(via);
    if (source === undefined) return;
    this.#isFound = true;
    this.#context.lessons.learn(
      lesson,
      source,
      say('records-of-own-source', { source, uri: statement.loc, via }),
    );
  }

  /** Everything was read. */
  settle(): void {
    if (!this.#isFound) this.#context.lessons.forget(lesson);
  }
}
