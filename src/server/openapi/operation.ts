import type { TSchema } from '@sinclair/typebox';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the description of the API says of the route; those that people and programs read are in `public-operations.ts`. */
    operation?: Operation;
  }
}

/** One operation of the API, in the words of OpenAPI 3.1. */
export interface Operation {
  readonly summary: string;
  readonly description?: string;
  /** A group of operations, with a sentence in `tags`. */
  readonly tag: Tag;
  /** What Fastify's pattern cannot say: the paths that it answers at. Default: the pattern's own. */
  readonly paths?: readonly string[];
  /** Of what stands between braces in its paths, and in the header of the request. */
  readonly parameters?: readonly Parameter[];
  /** By status. */
  readonly answers: Readonly<Record<string, Answer>>;
  /** Statuses of problem documents (RFC 9457) besides. */
  readonly problems?: readonly number[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'header';
  readonly description: string;
  readonly example?: string;
}

export interface Answer {
  readonly description: string;
  /** By media type; undefined: bytes or text that no schema describes. */
  readonly content?: Readonly<Record<string, TSchema | undefined>>;
  /** Name to what it says. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The groups, in the order in which they are shown. */
export const tags = {
  documents: 'ResourceSync documents (ANSI/NISO Z39.99-2017): what a Destination reads.',
  resources: 'Metadata records and files, which the documents lead to.',
  mementos: 'What documents and resources were before (RFC 7089).',
  pages: 'What there is, for people as HTML and for programs as JSON.',
  notifications: 'What other services tell of items (Linked Data Notifications, COAR Notify).',
  operations: 'How the service is doing, for monitors.',
  management: 'What operators do.',
} as const;

export type Tag = keyof typeof tags;
