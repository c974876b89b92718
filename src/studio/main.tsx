/** The page: its frame, and the view that its address names. Views are loaded when they are shown. */
import { render } from 'preact'
import { App } from './app.tsx'
import './style/main.css'

const root = document.getElementById('root')
if (root) render(<App />, root)
