import { isUtf8 } from 'node:buffer';
import {
  attributeOf,
  childOf,
  childrenOf,
  NotXml,
  readXml,
  TooMuchXml,
  type XmlElement,
  type XmlText,
} from './xml-element.ts';

/** A response as it came, before anything is said of it. */
export interface RawAnswer {
  /** The address, with its query, that was asked; of a POST the form is behind the address. */
  readonly request: string;
  /** The address alone. */
  readonly asked: string;
  readonly arguments: URLSearchParams;
  readonly status: number;
  /** The URL that answered. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** An answer in the protocol. */
export interface OaiAnswer extends RawAnswer {
  readonly text: string;
  readonly xml: XmlText;
  /** `OAI-PMH`, in whatever namespace. */
  readonly root: XmlElement;
  readonly errors: readonly { readonly code: string; readonly text: string }[];
  /** The element of the verb, by its name in the schema; undefined: there is none. */
  readonly content: XmlElement | undefined;
}

/** Why a response is none of the protocol. */
export interface NoAnswer {
  readonly fault: string;
  /** The check that it fails; undefined: nobody can say, because it was not read to its end. */
  readonly fails: 'xml-well-formed' | 'xml-namespace' | undefined;
}

/** @returns what the response says, or why it says nothing */
export function readAnswer(raw: RawAnswer): OaiAnswer | NoAnswer {
  const { bytes } = raw;
  if (bytes.length === 0) return { fault: 'it is empty', fails: 'xml-well-formed' };
  const text = decode(bytes);
  if (/^\s*(?:<!doctype html|<html)/i.test(text))
    return { fault: 'it is an HTML page', fails: 'xml-well-formed' };
  try {
    // What stands in front of the declaration is judged apart.
    const xml = readXml(text.replace(/^[\uFEFF\s]+/, ''));
    const { root } = xml;
    if (root.local !== 'OAI-PMH') {
      return { fault: `its root is ${root.name.slice(0, 60)}, not OAI-PMH`, fails: 'xml-namespace' };
    }
    const errors = childrenOf(root, 'error').map((error) => ({
      code: attributeOf(error, 'code') ?? '',
      text: error.text.trim(),
    }));
    const verb = raw.arguments.get('verb') ?? '';
    return { ...raw, text, xml, root, errors, content: childOf(root, verb) };
  } catch (error) {
    if (error instanceof TooMuchXml) return { fault: error.message, fails: undefined };
    if (!(error instanceof NotXml)) throw error;
    return { fault: `it is not well-formed: ${error.message}`, fails: 'xml-well-formed' };
  }
}

/** What is no UTF-8 is read as Latin-1 for the sake of the other checks, and reported for itself. */
function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  return bytes.toString('latin1');
}

/** The `responseDate`, as it is written. */
export function answeredAt({ root }: OaiAnswer): string {
  return childOf(root, 'responseDate')?.text.trim() ?? '';
}

export function hasCode({ errors }: OaiAnswer, ...codes: readonly string[]): boolean {
  return errors.some(({ code }) => codes.includes(code));
}

/** `badArgument`, `badArgument and badVerb`, or what is there instead. */
export function outcomeOf({ errors, content }: OaiAnswer): string {
  const codes = [...new Set(errors.map(({ code }) => code || 'an error without a code'))];
  if (codes.length > 0) return codes.join(' and ');
  return content === undefined ? 'neither records nor an error' : `an ordinary ${content.local}`;
}
