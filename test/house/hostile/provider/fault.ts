/** An answer of the protocol that is an error. */
export class OaiFault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** An answer that is no OAI-PMH at all. */
export class HttpFault extends Error {
  readonly status: number;
  readonly body: string;

  constructor(status: number, body = '') {
    super(`HTTP ${status}`);
    this.status = status;
    this.body = body;
  }
}

export function pageForPeople(text: string): string {
  return `<!DOCTYPE html>\n<html lang="en"><head><title>${text}</title></head><body><h1>${text}</h1><p>Please come back later.<br></p></body></html>`;
}
