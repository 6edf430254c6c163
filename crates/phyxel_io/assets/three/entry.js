// The parts of three.js that pages use, for the bundle three.min.js; README.md says how it is made.
import {
  BufferAttribute, BufferGeometry, CircleGeometry, CylinderGeometry, DirectionalLight, DoubleSide, DynamicDrawUsage,
  Group, HemisphereLight, IcosahedronGeometry, InstancedBufferAttribute, InstancedMesh, LineBasicMaterial, LineSegments,
  Mesh, MeshStandardMaterial, PerspectiveCamera, PlaneGeometry, RepeatWrapping, SRGBColorSpace, Scene, ShaderMaterial,
  ShadowMaterial, TextureLoader, VSMShadowMap, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

globalThis.THREE = {
  BufferAttribute, BufferGeometry, CircleGeometry, CylinderGeometry, DirectionalLight, DoubleSide, DynamicDrawUsage,
  Group, HemisphereLight, IcosahedronGeometry, InstancedBufferAttribute, InstancedMesh, LineBasicMaterial, LineSegments,
  Mesh, MeshStandardMaterial, OrbitControls, PerspectiveCamera, PlaneGeometry, RepeatWrapping, SRGBColorSpace, Scene,
  ShaderMaterial, ShadowMaterial, TextureLoader, VSMShadowMap, Vector3, WebGLRenderer,
};
