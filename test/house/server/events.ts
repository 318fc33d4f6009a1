/** One of a stream of server-sent events. */
export interface Heard {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

export interface Followed {
  readonly headers: Headers;
  /** So far. */
  readonly events: readonly Heard[];
  text(): string;
  /** The server ended it, or it was closed. */
  isOver(): boolean;
  close(): void;
}

/** Reads a stream of server-sent events as it comes. @throws Error where it is none */
export async function follow(url: string, headers: Readonly<Record<string, string>>): Promise<Followed> {
  const leaving = new AbortController();
  const answer = await fetch(url, { headers, signal: leaving.signal, redirect: 'manual' });
  if (answer.status !== 200) {
    leaving.abort();
    throw new Error(`${url} answered ${answer.status}`);
  }
  const events: Heard[] = [];
  let all = '';
  let read = 0;
  let isOver = false;
  const decoder = new TextDecoder();
  const reading = async () => {
    for await (const chunk of answer.body ?? []) {
      all += decoder.decode(chunk as Uint8Array, { stream: true });
      for (let end = all.indexOf('\n\n', read); end >= 0; end = all.indexOf('\n\n', read)) {
        const heard = toEvent(all.slice(read, end));
        if (heard) events.push(heard);
        read = end + 2;
      }
    }
  };
  void reading()
    .catch(() => undefined)
    .finally(() => {
      isOver = true;
    });
  return {
    headers: answer.headers,
    events,
    text: () => all,
    isOver: () => isOver,
    close: () => leaving.abort(),
  };
}

function toEvent(block: string): Heard | undefined {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const at = line.indexOf(': ');
      return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 2)];
    }),
  );
  const event = fields.get('event');
  if (event === undefined) return undefined;
  return { event, id: fields.get('id'), data: JSON.parse(fields.get('data') ?? 'null') };
}
