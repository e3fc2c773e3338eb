export const A = 'x'
