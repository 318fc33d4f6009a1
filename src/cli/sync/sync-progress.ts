import { countOf } from '../../core/count-of.ts';
import type { SyncProgress } from '../../sync/sync-progress.ts';
import type { Progress } from '../terminal/progress.ts';
import { duration } from '../terminal/progress-line.ts';

const deeds = {
  entries: { noun: 'entry', deed: 'read' },
  packages: { noun: 'package', deed: 'read' },
  resources: { noun: 'resource', deed: 'fetched' },
  deletions: { noun: 'resource', deed: 'deleted' },
} as const;

const shownTransfers = 4;

/** A block of bars on a terminal: what is done, the octets, the large downloads under way; else a line with all of it. */
export class SyncProgressView {
  readonly #progress: Progress;
  readonly #now: () => number;
  #work: SyncProgress['work'] | undefined;
  #since = 0;
  #shown: readonly string[] = [];

  constructor(progress: Progress, now: () => number = () => performance.now()) {
    this.#progress = progress;
    this.#now = now;
  }

  show(state: SyncProgress): void {
    const { work, done, total, octets, totalOctets, failed } = state;
    if (work !== this.#work) {
      this.#work = work;
      this.#since = this.#now();
    }
    const note = failed > 0 ? `${failed} failed` : undefined;
    const stage = { label: 'sync', done, total, ...deeds[work], note };
    this.#progress.show('sync', stage, () => this.#line(state));
    if (work === 'resources')
      this.#progress.show('octets', { label: 'content', done: octets, total: totalOctets, noun: 'byte' });
    else this.#progress.remove('octets');
    this.#showTransfers(state);
  }

  #showTransfers({ transfers }: SyncProgress): void {
    const shown = transfers.slice(0, shownTransfers);
    const keys = shown.map(({ address }) => address);
    for (const key of this.#shown) if (!keys.includes(key)) this.#progress.remove(key);
    for (const { address, octets, total } of shown)
      this.#progress.show(address, { label: nameOf(address), done: octets, total, noun: 'byte' });
    this.#shown = keys;
  }

  #line({ work, done, total, octets, totalOctets, failed }: SyncProgress): string {
    const { noun, deed } = deeds[work];
    const counted = total === undefined ? countOf(done, noun) : `${done} of ${countOf(total, noun)}`;
    const seconds = (this.#now() - this.#since) / 1000;
    const parts = [`${counted} ${deed}`];
    if (work === 'resources') {
      const of = totalOctets === undefined ? '' : ` of ${megabytes(totalOctets)}`;
      parts.push(`${megabytes(octets)}${of}`);
      if (seconds > 1) parts.push(`${megabytes(octets / seconds)}/s`);
      // What is left is known only where both are.
      if (totalOctets !== undefined && octets > 0 && seconds > 2)
        parts.push(`${duration((Math.max(0, totalOctets - octets) / octets) * seconds)} left`);
    }
    if (failed > 0) parts.push(`${failed} failed`);
    return parts.join(', ');
  }
}

function nameOf(address: string): string {
  const { pathname } = new URL(address);
  const name = pathname.slice(pathname.lastIndexOf('/') + 1) || pathname;
  return name.length <= 24 ? name : `${name.slice(0, 23)}…`;
}

function megabytes(octets: number): string {
  return `${(octets / 1_000_000).toFixed(1)} MB`;
}
