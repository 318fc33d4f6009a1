const namespace =
  /^https?:\/\/(?:github\.com\/JPCOAR\/schema\/blob\/(?:master|main)|irdb\.nii\.ac\.jp\/schema\/jpcoar)\/\d[\d.]*\/?$/;

/** Any version of JPCOAR's schema, at the place GitHub gives it or at its registry's. */
export function isJpcoar(uri: string): boolean {
  return namespace.test(uri);
}
