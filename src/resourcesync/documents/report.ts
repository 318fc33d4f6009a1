export type Severity = 'error' | 'warning';

/**
 * Takes one defect under all the rules that name it, separated by spaces, the most specific first.
 * The severity follows from each rule's level unless it is given.
 */
export type Report = (rules: string, message: string, severity?: Severity) => void;
