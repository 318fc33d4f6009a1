/** An answer that is an error of DSpace's: status and message as its exception handler words them. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string = messages[status] ?? 'An exception has occurred') {
    super(message);
    this.status = status;
  }

  /** Spring's body. */
  json(path: string, now: number): Record<string, unknown> {
    return {
      timestamp: new Date(now).toISOString().replace('Z', '+00:00'),
      status: this.status,
      error: reasons[this.status] ?? 'Error',
      message: this.message,
      path,
    };
  }
}

const messages: Readonly<Record<number, string>> = {
  400: 'Request is invalid or incorrect',
  401: 'Authentication is required',
  403: 'Access is denied',
  404: 'An exception has occurred',
  405: 'Method is not allowed or supported',
  422: 'Invalid search request',
};

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  416: 'Requested Range Not Satisfiable',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};
