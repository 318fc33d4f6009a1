import { addSeconds, earlier, later } from '../../core/datetime.ts';
import type { Interval, Member } from './source-document.ts';
import { skewSeconds } from './stated-time.ts';

export interface Fault {
  readonly uri: string;
  readonly reason: string;
  /** It was read, and is of another moment than its index says, or than the other parts are. */
  readonly isOtherMoment?: boolean;
}

/** Whoever writes a part and what its index says of it asks for the time twice. */
const writingSeconds = 5;

interface Part {
  readonly uri: string;
  readonly at: string;
  readonly isIndex: boolean;
}

/**
 * The moments that the parts of an index are of. What has moved from one part to another between two of them is in none, and
 * there all the same.
 */
export class PartMoments {
  /** Lists of which their index says nothing, by what it says of itself. */
  readonly #silent: { readonly index: Interval; readonly part: Part }[] = [];
  readonly #faults: Fault[] = [];

  add(part: Part, member: Member, index: Interval): void {
    const { uri, at, isIndex } = part;
    const { at: stated } = member.times;
    if (stated === undefined) {
      if (!isIndex) this.#silent.push({ index, part });
      return;
    }
    if (areWithin([at, stated], writingSeconds)) return;
    this.#fault(uri, `its time is ${at}, and its index says that it is ${stated}`);
  }

  /** To be called when all were added. */
  faults(): readonly Fault[] {
    const odd = this.#silent.find(({ index, part }) => !isOfIndex(part.at, index));
    const moments = this.#silent.map(({ part }) => part.at);
    if (odd !== undefined && !areWithin(moments, skewSeconds))
      this.#fault(odd.part.uri, `its time is ${odd.part.at}, and other parts are of another`);
    return this.#faults;
  }

  #fault(uri: string, reason: string): void {
    this.#faults.push({ uri, reason, isOtherMoment: true });
  }
}

function isOfIndex(at: string, { at: begin, completed }: Interval): boolean {
  if (begin === undefined) return false;
  const end = completed ?? addSeconds(begin, skewSeconds);
  return at >= addSeconds(begin, -writingSeconds) && at <= end;
}

function areWithin(moments: readonly string[], seconds: number): boolean {
  const [first = ''] = moments;
  const [begin, end] = [moments.reduce(earlier, first), moments.reduce(later, first)];
  return end === begin || end <= addSeconds(begin, seconds);
}
