import { clause } from './clause.ts';

/** Thrown out of the parser: the text is not well-formed. */
export class NotWellFormed extends Error {}

/** The same, because of a prefix that nobody declares. */
export class UndeclaredPrefix extends NotWellFormed {}

/** Thrown out of the parser: the document is complete, what follows does not matter (quirk 37). */
export class Complete extends Error {}

/** Thrown out of the parser: XML, but no OAI-PMH. */
export class OtherDocument extends Error {
  readonly rootName: string;

  constructor(rootName: string) {
    super(`the root element is <${rootName}>`);
    this.rootName = rootName;
  }
}

export class ForbiddenDoctype extends Error {}

/** Positions in a stream that was cut up mean nothing to anybody. */
export function notWellFormed(message: string): NotWellFormed {
  const bare = message.replace(/^\d+:\d+: /, '');
  const prefix = /^unbound namespace prefix: "([^"]{1,100})"/.exec(bare)?.[1];
  if (prefix === undefined) return new NotWellFormed(clause(bare) || 'its tags do not match');
  return new UndeclaredPrefix(
    `its prefix "${prefix}" is declared nowhere, neither in it nor earlier in the list, and its xsi:schemaLocation does not tell what it stands for`,
  );
}
