/** Style sheets are imported for their effect: the build puts all of them into one file. */
declare module '*.css'
