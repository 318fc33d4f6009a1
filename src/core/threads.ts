/**
 * Threads beside this one, shared by all that is read in this process. What goes there and comes back is plain data;
 * bytes are handed over, not copied.
 */
export interface Threads {
  /** @param script runs in the thread, and answers to each `ThreadMessage` with others of the same job */
  begin(script: URL, hear: ThreadListener): ThreadJob;
  /**
   * Whether a job would not have to wait for a thread to start; if it would, one starts now. For scripts that say `isReady`.
   */
  isReady(script: URL): boolean;
}

export interface ThreadListener {
  answer(answer: unknown): void;
  /** Nothing more will come: the thread has ended. @param error `out-of-memory`, or a defect */
  lost(error: unknown): void;
}

/** One piece of work in a thread that may have others. */
export interface ThreadJob {
  send(task: unknown, handedOver?: readonly ArrayBuffer[]): void;
  /** Nothing more is sent, and no answer heard. */
  end(): void;
}

/** As it comes to the thread and back. */
export interface ThreadMessage {
  readonly job: number;
  readonly what: unknown;
}

/** What a script says once when it has been loaded: job 0 is nobody's. */
export const isReady: ThreadMessage = { job: 0, what: 'ready' };
